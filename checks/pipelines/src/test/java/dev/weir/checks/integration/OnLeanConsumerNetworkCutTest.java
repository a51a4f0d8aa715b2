package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ConsumerNetworkCutTest} on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanConsumerNetworkCutTest extends ConsumerNetworkCutTest {}
