package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ConsumerBrokerLossTest} with two fetch threads. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsConsumerBrokerLossTest extends ConsumerBrokerLossTest {}
