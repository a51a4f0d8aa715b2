package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what a producer learns from metadata. */
class KnownPartitionsTest {

    private final ProducerTopic topic = new ProducerTopic("t", 0);
    private final KnownPartitions known =
            new KnownPartitions(Map.of("t", topic), () -> new RetryBackoff(1, new SplittableRandom(1)), address -> {
                throw new AssertionError("no broker was found");
            });

    /** Returns an answer with one partition for each leader. */
    private static MetadataResponseTopic answer(int epoch, int... leaders) {
        MetadataResponseTopic answer = new MetadataResponseTopic().setName("t");
        for (int number = 0; number < leaders.length; number++) {
            answer.partitions()
                    .add(new MetadataResponsePartition()
                            .setPartitionIndex(number)
                            .setLeaderId(leaders[number])
                            .setLeaderEpoch(epoch));
        }
        return answer;
    }

    @Test
    void partitions_areAdded_andThoseThatAreKnownStay() {
        assertThat(known.learn(answer(3, 1, 2), Verdict.PRESENT)).isTrue();
        ProducerPartition[] before = topic.partitions();
        assertThat(before).hasSize(2);
        assertThat(known.learn(answer(4, 2, 2, 1), Verdict.PRESENT)).isTrue();
        assertThat(topic.partitions()).hasSize(3).startsWith(before);
        assertThat(known.partitions()).containsExactly(topic.partitions());
        assertThat(known.partitions()).extracting(each -> each.number).containsExactly(0, 1, 2);
        assertThat(known.partitions()).extracting(each -> each.leader.node()).containsExactly(2, 2, 1);

        // A stale broker names fewer partitions.
        assertThat(known.learn(answer(3, 1), Verdict.PRESENT)).isTrue();
        assertThat(known.partitions()).hasSize(3);
        assertThat(before[0].leader.node()).as("of a later epoch").isEqualTo(2);
    }

    /** The metadata are then requested again. */
    @Test
    void answerWithoutALeader_orWithAnAbsurdNumber_isIncomplete() {
        assertThat(known.learn(answer(3, 1, PartitionLeader.NOBODY), Verdict.PRESENT))
                .isFalse();
        assertThat(known.learn(answer(3, PartitionLeader.NOBODY, 1), Verdict.PRESENT))
                .isFalse();
        for (int absurd : new int[] {-1, 2, Integer.MAX_VALUE}) {
            MetadataResponseTopic answer = answer(3, 1, 1);
            answer.partitions().getFirst().setPartitionIndex(absurd);
            assertThat(known.learn(answer, Verdict.PRESENT)).as("%d", absurd).isFalse();
        }
        assertThat(topic.partitions()).hasSize(2);
        assertThat(known.learn(answer(3, 1, 1), Verdict.PRESENT)).isTrue();
    }

    /** The epochs of the new topic begin at 0, and its brokers do not know the producer. */
    @ParameterizedTest
    @EnumSource(names = {"PRESENT", "FIRST", "RECREATED"})
    void recreatedTopic_hasALeaderOfAnyEpoch(Verdict verdict) {
        assertThat(known.learn(answer(9, 1), Verdict.PRESENT)).isTrue();
        assertThat(known.learn(answer(0, 2), verdict)).isTrue();
        assertThat(topic.partitions()[0].leader.node()).isEqualTo(verdict == Verdict.PRESENT ? 1 : 2);
    }

    /** A broker may not have heard of the topic or its access rights yet. */
    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "TOPIC_AUTHORIZATION_FAILED"})
    void refusedTopic_isRefusedForGoodOnlyByAnErrorThatDoesNotPass(Errors error) {
        topic.refusal(null);
        assertThat(known.refused("t", error)).isFalse();
        assertThat(topic.absence()).isSameAs(error.exception());
        if (error == Errors.TOPIC_AUTHORIZATION_FAILED) {
            assertThat(topic.refusal())
                    .hasMessageStartingWith("topic t cannot be written: " + error.message())
                    .hasCauseInstanceOf(TopicAuthorizationException.class);
        } else {
            assertThat(topic.refusal()).isNull();
        }

        assertThat(known.refused("t", Errors.UNKNOWN_TOPIC_OR_PARTITION)).isFalse();
        assertThat(topic.refusal()).as("another broker knows better").isNull();
        assertThat(topic.absence()).isInstanceOf(UnknownTopicOrPartitionException.class);
        assertThat(known.refused("t", error)).isFalse();
        assertThat(known.learn(answer(0, 1), Verdict.PRESENT)).isTrue();
        assertThat(topic.refusal()).isNull();
        assertThat(topic.absence()).isNull();
    }

    /** The producer could not connect to such a leader. */
    @Test
    void hint_ofALeaderWhoseAddressIsUnknown_isIgnored() {
        assertThat(known.learn(answer(3, 1), Verdict.PRESENT)).isTrue();
        known.hint(topic.partitions()[0], new LeaderIdAndEpoch().setLeaderId(2).setLeaderEpoch(4));
        assertThat(topic.partitions()[0].leader.node()).isEqualTo(1);
        assertThat(known.leader(topic.partitions()[0])).isNull();
        assertThat(known.brokers()).isEmpty();
    }

    @Test
    void topicThatNobodySendsTo_isIgnored() {
        assertThat(known.agreement("u")).isNull();
        assertThat(Objects.requireNonNull(known.agreement("t"))).isSameAs(topic.agreement);
    }
}
