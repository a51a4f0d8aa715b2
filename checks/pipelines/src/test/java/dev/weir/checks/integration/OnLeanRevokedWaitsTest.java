package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link RevokedWaitsTest} on the lean path. A long test. */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanRevokedWaitsTest extends RevokedWaitsTest {}
