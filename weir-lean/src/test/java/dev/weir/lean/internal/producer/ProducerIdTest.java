package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.cluster.RetryBackoff;
import java.util.SplittableRandom;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.junit.jupiter.api.Test;

class ProducerIdTest {

    private final ProducerId id = new ProducerId();

    private static ProducerPartition partition(int number) {
        return new ProducerPartition(new ProducerTopic("t", 0), number, new RetryBackoff(1, new SplittableRandom(1)));
    }

    private void learn(long producer, int epoch) {
        id.learn(new InitProducerIdResponseData().setProducerId(producer).setProducerEpoch((short) epoch));
    }

    @Test
    void id_isAskedForOnceAPartitionNeedsIt_andIsOneForAll() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        assertThat(id.isWanted()).isFalse();
        assertThat(id.identifies(one)).isFalse();
        assertThat(id.isWanted()).isTrue();
        learn(77, 3);
        assertThat(id.isWanted()).isFalse();
        assertThat(id.identifies(one)).isTrue();
        assertThat(id.identifies(other)).isTrue();
        assertThat(one.producerId).isEqualTo(77);
        assertThat(one.epoch).isEqualTo((short) 3);
        assertThat(other.producerId).isEqualTo(77);
    }

    @Test
    void partitionThatHasAnId_keepsIt_whenAnotherOneIsLearnt() {
        ProducerPartition partition = partition(0);
        learn(77, 0);
        assertThat(id.identifies(partition)).isTrue();
        learn(78, 0);
        assertThat(id.identifies(partition)).isTrue();
        assertThat(partition.producerId).isEqualTo(77);
    }

    /** Under the same epoch, a broker would compare the new sequences with the old sequences. */
    @Test
    void renumberedPartition_hasTheNextEpoch_andOthersKeepTheirs() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        learn(77, 3);
        assertThat(id.identifies(one) && id.identifies(other)).isTrue();
        id.renumber(one);
        assertThat(one.producerId).isEqualTo(77);
        assertThat(one.epoch).isEqualTo((short) 4);
        assertThat(other.epoch).isEqualTo((short) 3);
        one.epoch = Short.MAX_VALUE - 1;
        id.renumber(one);
        assertThat(one.epoch).isEqualTo(Short.MAX_VALUE);
        assertThat(one.producerId).isEqualTo(77);
    }

    @Test
    void partitionWhoseEpochsHaveRunOut_getsAnotherId_andThoseAfterItGetThatOne() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        learn(77, 0);
        assertThat(id.identifies(one) && id.identifies(other)).isTrue();
        one.epoch = Short.MAX_VALUE;
        id.renumber(one);
        assertThat(one.producerId).isEqualTo(ProducerPartition.UNKNOWN);
        assertThat(one.epoch).isZero();
        assertThat(id.identifies(one)).isFalse();
        assertThat(id.isWanted()).isTrue();
        learn(78, 0);
        assertThat(id.identifies(one)).isTrue();
        assertThat(one.producerId).isEqualTo(78);

        other.epoch = Short.MAX_VALUE;
        id.renumber(other);
        assertThat(id.identifies(other)).as("there is a newer one already").isTrue();
        assertThat(other.producerId).isEqualTo(78);
    }
}
