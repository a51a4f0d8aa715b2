package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** The same on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanConsumerFlowTest extends ConsumerFlowTest {

    /** Not again: it takes long, and is about Weir's own marks. */
    @Override
    void threeThousandPartitions_stayWithinTheBudget() {}

    /** Nor this one. */
    @Override
    void sixHundredPartitions_stayWithinTheBudget() {}
}
