package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two fetch threads. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsConsumerFlowTest extends ConsumerFlowTest {

    /** Not again: it takes long, and is about Weir's own marks. */
    @Override
    void threeThousandPartitions_stayWithinTheBudget() {}

    /** Nor this one. */
    @Override
    void sixHundredPartitions_stayWithinTheBudget() {}
}
