package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link DueAtTest} on the lean path. */
@ExtendWith(OnLeanPath.class)
@Tag("long")
class OnLeanDueAtTest extends DueAtTest {}
