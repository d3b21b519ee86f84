"""The arguments that the drivers pass and the programs expect: python3 -m unittest runners_test. No rival and no
network is needed.
"""

import dataclasses
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import jobs
import parquet_jobs
import parquet_sort
from runners import HERE, Command, Settings, Worker, build

FLIGHTS = HERE.parent.parent / "examples" / "data" / "flights.parquet"
CLI = next(job for job in jobs.JOBS if job.mode == "cli")


class TestArguments(unittest.TestCase):
    def received(self, command):
        """What the rival of a command line of parquet_sort.py receives."""
        with (
            mock.patch.dict(parquet_sort.ENGINES, {command[2]: mock.Mock(return_value=0.5)}) as engines,
            mock.patch("builtins.print"),
        ):
            parquet_sort.main(*command[2:])
            return engines[command[2]].call_args

    def test_job_cli(self):
        for engine in set(CLI.engines) - {"arrowsort"}:
            with self.subTest(engine):
                command = Command(engine, CLI, Path("in"), Settings(2), Path("out")).command
                self.assertEqual(self.received(command), mock.call("in", "out", ["delay"], 2, "zstd", 0))

    def test_parquet_jobs(self):
        for engine in parquet_jobs.RIVALS:
            with self.subTest(engine):
                command = parquet_sort.command(engine, Path("in"), Path("out"), ("a", "b"), 2, "snappy", 1000, 1 << 28)
                self.assertEqual(
                    self.received(command), mock.call("in", "out", ["a", "b"], 2, "snappy", 1000, memory=1 << 28)
                )


class TestArrowsort(unittest.TestCase):
    def test_command_and_worker(self):
        build("arrowsort/cmd/arrowsort")
        build("benchmarks/cmd/rivalbench")
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.arrow"
            run = Command("arrowsort", CLI, FLIGHTS, Settings(2), table).run("parquet")
            self.assertGreater(min(run.seconds, run.inner, run.cpu, run.peak, run.size), 0)
            for mode in ("sort", "argsort", "memory"):
                with self.subTest(mode):
                    worker = Worker("arrowsort", dataclasses.replace(CLI, mode=mode), table, Settings(2))
                    for variant in worker.variants:
                        self.assertGreater(worker.run(variant).seconds, 0)
                    worker.close()


if __name__ == "__main__":
    unittest.main()
