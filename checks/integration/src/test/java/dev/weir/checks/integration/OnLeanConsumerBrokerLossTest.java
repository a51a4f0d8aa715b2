package dev.weir.checks.integration;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanConsumerBrokerLossTest extends ConsumerBrokerLossTest {

    @Override
    @Test
    @Order(2)
    @Tag("long")
    @SuppressWarnings("JUnitMethodInvoked") // the same test, with a tag
    @Timeout(120)
    void brokerFrozenAndThawed_pipelineSurvives_losesNothing() throws Exception {
        super.brokerFrozenAndThawed_pipelineSurvives_losesNothing();
    }

    @Override
    @Test
    @Order(3)
    @Tag("long")
    @SuppressWarnings("JUnitMethodInvoked") // the same test, with a tag
    @Timeout(120)
    void drain_withAllBrokersGone_endsInTimeAndSaysWhatWasNotCommitted() throws Exception {
        super.drain_withAllBrokersGone_endsInTimeAndSaysWhatWasNotCommitted();
    }
}
