package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ConsumerBrokerLossTest} on the lean path. */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanConsumerBrokerLossTest extends ConsumerBrokerLossTest {}
