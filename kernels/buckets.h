// What partition and finish share.
#pragma once
#include "column.h"
#include "mapper.h"
#include "numbers.h"
