package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests a run's plan, and the rate of its source. */
class ConsumerPlanTest {

    private static ConsumerPlan plan(Subscription subscription, Delivery delivery) {
        return new ConsumerPlan(subscription, Map.of(), delivery, null, Set.of());
    }

    @Test
    void deliveries_differInTheirCommitsAndTokens() {
        Delivery[] tracked = {new Delivery.Committable(), new Delivery.Committable(true), new Delivery.Plain(true)};
        for (Delivery delivery : tracked) {
            assertThat(delivery.isTracked()).as("%s", delivery).isTrue();
            assertThat(plan(Subscription.topics("t"), delivery).isTracked()).isTrue();
        }
        Delivery[] untracked = {new Delivery.Plain(false), new Delivery.AtMostOnce(5)};
        for (Delivery delivery : untracked) {
            assertThat(delivery.isTracked()).as("%s", delivery).isFalse();
            assertThat(plan(Subscription.topics("t"), delivery).isTracked()).isFalse();
        }
        assertThat(new Delivery.Committable().commits()).isTrue();
        assertThat(new Delivery.AtMostOnce(5).commits()).isTrue();
        assertThat(new Delivery.Plain(true).commits()).isFalse();
        assertThat(new Delivery.Committable().takesUnreadable()).isFalse();
        assertThat(new Delivery.Committable(true).takesUnreadable()).isTrue();
        assertThat(new Delivery.Plain(true).takesUnreadable()).isFalse();
    }

    @Test
    void batches_areSmallWithPriorities() {
        Delivery delivery = new Delivery.Committable();
        assertThat(plan(Subscription.topics("t"), delivery).batchSize()).isEqualTo(Batch.DEFAULT_CAPACITY);
        assertThat(plan(Subscription.topics("t").priority("t", 3), delivery).batchSize())
                .isEqualTo(64);
        assertThat(plan(Subscription.topics("t"), delivery).reads()).contains("t");
    }

    @Test
    void rate_isSetOnTheBuffer_unlessItIsNegative() {
        RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
        BufferRate rate = new BufferRate("consume", buffer);
        assertThat(rate.perSecond()).isZero();
        rate.perSecond(7);
        assertThat(rate.perSecond()).isEqualTo(7);
        assertThat(buffer.perSecond()).isEqualTo(7);
        assertThatThrownBy(() -> rate.perSecond(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("consume")
                .hasMessageContaining("perSecond=-1");
        assertThat(buffer.perSecond()).isEqualTo(7);
        rate.perSecond(0);
        assertThat(buffer.perSecond()).isZero();
        assertThat(rate.waitedNanos()).isZero();
    }
}
