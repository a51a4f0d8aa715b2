package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RareAnswer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Tests which answers become rare answers, and their content. */
class RareAnswersDrawTest {

    private static final int ANSWERS = 2_000;

    private static RareAnswers all(long seed) {
        return new RareAnswers(seed, EnumSet.allOf(RareAnswer.class));
    }

    private static List<Boolean> commits(RareAnswers rare) {
        return IntStream.range(0, ANSWERS)
                .mapToObj(i -> rare.change(new OffsetCommitResponseData()))
                .toList();
    }

    private static List<Long> late(RareAnswers rare) {
        return IntStream.range(0, ANSWERS).mapToObj(i -> rare.lateNanos()).toList();
    }

    @Test
    void draws_areThoseOfTheSeed_whateverElseIsAnswered() {
        RareAnswers disturbed = all(5);
        assertThat(late(disturbed)).isEqualTo(late(all(5))).isNotEqualTo(late(all(6)));
        assertThat(commits(disturbed)).isEqualTo(commits(all(5))).isNotEqualTo(commits(all(6)));
        assertThat(disturbed.given().get(RareAnswer.COMMIT_TIMED_OUT)).isBetween(ANSWERS / 8L, ANSWERS / 2L);
        assertThat(late(all(5))).allMatch(nanos -> nanos >= 0 && nanos <= 500_000_000);
    }

    @Test
    void kindsThatWereNotNamed_andThoseAfterAStop_areNotGiven() {
        RareAnswers lateOnly = new RareAnswers(5, Set.of(RareAnswer.LATE));
        assertThat(commits(lateOnly)).containsOnly(false);
        assertThat(late(lateOnly)).anyMatch(nanos -> nanos > 0);
        lateOnly.stop();
        assertThat(late(lateOnly)).containsOnly(0L);
        assertThat(lateOnly.given()).hasSize(RareAnswer.values().length);
    }

    @Test
    void writes_keepTheirErrors_andLoseTheirOffset() {
        RareAnswers rare = all(1);
        PartitionProduceResponse written = new PartitionProduceResponse();
        PartitionProduceResponse refused = new PartitionProduceResponse().setErrorCode(Errors.MESSAGE_TOO_LARGE.code());
        boolean changed = false;
        while (!changed) {
            written = new PartitionProduceResponse().setBaseOffset(3);
            ProduceResponseData answer = new ProduceResponseData();
            answer.responses()
                    .add(new TopicProduceResponse().setName("t").setPartitionResponses(List.of(written, refused)));
            changed = rare.change(answer);
        }
        assertThat(Errors.forCode(written.errorCode())).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(written.baseOffset()).isEqualTo(-1);
        assertThat(Errors.forCode(refused.errorCode())).isEqualTo(Errors.MESSAGE_TOO_LARGE);
    }

    @Test
    void membersAreFenced_butNotThoseThatLeave() {
        RareAnswers rare = all(1);
        ConsumerGroupHeartbeatResponseData member = new ConsumerGroupHeartbeatResponseData();
        boolean changed = false;
        while (!changed) {
            assertThat(rare.change(new ConsumerGroupHeartbeatResponseData().setMemberEpoch(-1)))
                    .isFalse();
            assertThat(rare.change(new HeartbeatResponseData().setErrorCode(Errors.UNKNOWN_MEMBER_ID.code())))
                    .isFalse();
            member = new ConsumerGroupHeartbeatResponseData().setMemberEpoch(4);
            changed = rare.change(member);
        }
        assertThat(Errors.forCode(member.errorCode())).isEqualTo(Errors.FENCED_MEMBER_EPOCH);
        Map<RareAnswer, Long> given = rare.given();
        assertThat(given.get(RareAnswer.REBALANCE)).isEqualTo(1);
    }
}
