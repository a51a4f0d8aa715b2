package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of {@link RebalanceScaleTest} that move partitions between members, on the lean path. A long test,
 * like the other variants.
 */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanRebalanceScaleTest extends RebalanceScaleTest {

    /** Not repeated here, because the lean path treats new partitions like all others. */
    @Override
    void partitionsAdded_underLoad_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}

    @Override
    void partitionsAdded_onOtherProtocols_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}
}
