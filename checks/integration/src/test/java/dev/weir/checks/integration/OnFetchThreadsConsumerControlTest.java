package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two fetch threads. */
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsConsumerControlTest extends ConsumerControlTest {}
