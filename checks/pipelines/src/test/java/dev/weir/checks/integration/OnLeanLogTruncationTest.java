package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link LogTruncationTest} on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanLogTruncationTest extends LogTruncationTest {}
