package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two threads that fetch. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsOpenTransactionTest extends OpenTransactionTest {}
