package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two fetch threads, as far as partitions are taken away and given otherwise. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsRebalanceScaleTest extends RebalanceScaleTest {

    /** Not repeated here: to the fetcher, new partitions look like any others. */
    @Override
    void partitionsAdded_underLoad_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}

    @Override
    void partitionsAdded_onOtherProtocols_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}
}
