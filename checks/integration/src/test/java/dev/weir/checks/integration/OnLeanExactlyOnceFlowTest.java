package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same on the lean path; long, since with all twins the suite would not end within 20 minutes. */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanExactlyOnceFlowTest extends ExactlyOnceFlowTest {}
