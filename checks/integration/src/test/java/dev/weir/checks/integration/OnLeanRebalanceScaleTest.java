package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same on the lean path, as far as partitions are taken away and given otherwise; long, as the other twins. */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanRebalanceScaleTest extends RebalanceScaleTest {

    @Override
    @ParameterizedTest
    @EnumSource(names = {"COOPERATIVE", "CONSUMER"})
    void oneToFourToTwo_underLoad_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        super.oneToFourToTwo_underLoad_losesAndRepeatsNothing(protocol);
    }

    /** Not again: to the fetcher, partitions that are new look like those of others. */
    @Override
    void partitionsAdded_underLoad_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}
}
