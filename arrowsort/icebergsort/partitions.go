package icebergsort

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// partitionName returns the values of a partition as text, which differs where they do.
func partitionName(spec iceberg.PartitionSpec, values map[int]any) string {
	var parts []string
	for _, f := range spec.Fields() {
		switch v := values[f.FieldID].(type) {
		case nil:
			parts = append(parts, f.Name+" is null")
		case string:
			parts = append(parts, fmt.Sprintf("%s=%q", f.Name, v))
		case []byte:
			parts = append(parts, fmt.Sprintf("%s=%x", f.Name, v))
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", f.Name, v))
		}
	}
	return strings.Join(parts, "/")
}

// avroName is what manifests, which are Avro files, can have as the name of a field of a partition.
var avroName = regexp.MustCompile("^[A-Za-z_][A-Za-z0-9_]*$")

// checkPartitions finds partitions that iceberg-go does not write as they are. A manifest has files that are not
// rewritten, too: so it looks at all files.
func (p *plan) checkPartitions() error {
	for _, task := range p.tasks {
		for _, f := range append(deleteFiles(task), task.File) {
			spec := p.table.Metadata().PartitionSpecByID(int(f.SpecID()))
			if spec == nil {
				continue // addGroups finds those that are rewritten
			}
			if column := droppedSource(*spec, p.schema); column != "" {
				return fmt.Errorf("%w: %s has a partition by %s, whose column the table no longer has: its value "+
					"would be lost, and rows that are deleted there would come back", ErrUnsupported, f.FilePath(),
					column)
			}
			for _, field := range spec.Fields() {
				if f.Partition()[field.FieldID] == "" {
					return fmt.Errorf("%w: %s is of the partition with the empty text as %s, which readers would skip "+
						"if it were written again", ErrUnsupported, f.FilePath(), field.Name)
				}
				if !avroName.MatchString(field.Name) {
					return fmt.Errorf("%w: %q, the name of a partition field of %s, is none in Avro", ErrUnsupported,
						field.Name, f.FilePath())
				}
			}
		}
	}
	return nil
}

// droppedSource returns the name of a partition field whose column is not in a schema, or nothing.
func droppedSource(spec iceberg.PartitionSpec, sc *iceberg.Schema) string {
	for _, field := range spec.Fields() {
		if _, void := field.Transform.(iceberg.VoidTransform); void {
			continue
		}
		for _, id := range field.SourceIDs {
			if _, ok := sc.FindFieldByID(id); !ok {
				return field.Name
			}
		}
	}
	return ""
}

// checkStored finds files that do not store a column whose values are those of their partition, as Hive writes them:
// iceberg-go reads them as null.
func (p *plan) checkStored(g *group, task table.FileScanTask) error {
	for _, field := range g.spec.Fields() {
		_, identity := field.Transform.(iceberg.IdentityTransform)
		if !identity || g.partition[field.FieldID] == nil {
			continue
		}
		path, err := localPath(task.File.FilePath())
		if err != nil {
			return err
		}
		if stored, err := storesColumn(path, p.schema, field.SourceIDs[0]); err != nil || stored {
			return err
		}
		return fmt.Errorf("%w: %s does not store the column of partition field %s", ErrUnsupported,
			task.File.FilePath(), field.Name)
	}
	return nil
}

// storesColumn reports whether a Parquet file has the column of an id, or of its name if the file has no ids.
func storesColumn(path string, sc *iceberg.Schema, id int) (bool, error) {
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	name, _ := sc.FindColumnName(id)
	byName, ids := false, false
	columns := r.MetaData().Schema
	for i := range columns.NumColumns() {
		for node := schema.Node(columns.Column(i).SchemaNode()); node != nil; node = node.Parent() {
			if node.FieldID() == int32(id) {
				return true, nil
			}
			ids = ids || node.FieldID() > 0
		}
		byName = byName || columns.Column(i).Path() == name
	}
	return byName && !ids, nil
}
