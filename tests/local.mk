# Tests that belong to no single layer. Unit tests stand in their layer's local.mk.
