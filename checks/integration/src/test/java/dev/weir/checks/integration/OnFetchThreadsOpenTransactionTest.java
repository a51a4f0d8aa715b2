package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two threads that fetch. */
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsOpenTransactionTest extends OpenTransactionTest {}
