package dev.weir.lean.internal.cluster;

import static dev.weir.lean.internal.cluster.TopicIdAgreement.UNKNOWN_NODE;
import static dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict.CONTRADICTED;
import static dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict.FIRST;
import static dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict.PRESENT;
import static dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict.RECREATED;
import static dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests brokers that name topic ids in different orders. */
class TopicIdAgreementTest {

    private static final Uuid ONE = new Uuid(1, 1);
    private static final Uuid OTHER = new Uuid(2, 2);
    private static final Uuid THIRD = new Uuid(3, 3);

    private final TopicIdAgreement agreement = new TopicIdAgreement();
    private int brokers = 3;

    /** A time just before the clock wraps. */
    private long nowNanos = Long.MAX_VALUE - 1;

    @BeforeEach
    void first() {
        assertThat(hear(1, ONE)).isEqualTo(FIRST);
    }

    private Verdict hear(int node, Uuid id) {
        return agreement.hear(id, node, brokers, nowNanos);
    }

    private void pass(int seconds) {
        nowNanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    private void recreate() {
        hear(1, OTHER);
        assertThat(hear(2, OTHER)).isEqualTo(RECREATED);
    }

    @Test
    void otherId_namedByTwoBrokers_isBelieved() {
        assertThat(hear(1, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(agreement.present()).isEqualTo(ONE);
        assertThat(hear(2, OTHER)).isEqualTo(RECREATED);
        assertThat(agreement.present()).isEqualTo(OTHER);
        assertThat(hear(3, OTHER)).isEqualTo(PRESENT);
    }

    @Test
    void otherId_namedByOneBroker_isNotBelieved_howeverOften() {
        assertThat(hear(1, OTHER)).isEqualTo(CONTRADICTED);
        for (int i = 0; i < 100; i++) {
            pass(1);
            assertThat(hear(1, OTHER).isBelieved()).isFalse();
            assertThat(hear(2, ONE)).isEqualTo(PRESENT);
        }
        assertThat(hear(1, OTHER)).isEqualTo(UNDECIDED);
    }

    @Test
    void otherId_ofTheOnlyBroker_isBelieved() {
        brokers = 1;
        assertThat(hear(UNKNOWN_NODE, OTHER)).isEqualTo(RECREATED);
        assertThat(hear(1, THIRD)).isEqualTo(RECREATED);
    }

    @Test
    void brokersOfUnknownAddress_haveNoVote() {
        assertThat(hear(UNKNOWN_NODE, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(hear(UNKNOWN_NODE, OTHER)).isEqualTo(UNDECIDED);
        assertThat(hear(2, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(hear(3, OTHER)).isEqualTo(RECREATED);
    }

    @Test
    void brokerThatCatchesUp_movesItsVote() {
        assertThat(hear(1, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(hear(2, ONE)).isEqualTo(PRESENT);
        assertThat(hear(2, OTHER)).isEqualTo(RECREATED);
    }

    @Test
    void twoStaleBrokersOfFour_areNotBelieved() {
        brokers = 4;
        hear(1, OTHER);
        hear(2, ONE);
        hear(3, ONE);
        pass(20);
        assertThat(hear(4, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(hear(1, OTHER)).isEqualTo(UNDECIDED);
    }

    @Test
    void otherIds_thatDiffer_doNotAddUp() {
        hear(1, OTHER);
        assertThat(hear(2, THIRD)).isEqualTo(CONTRADICTED);
        assertThat(hear(3, THIRD)).isEqualTo(RECREATED);
    }

    @Test
    void vote_thatIsOld_doesNotCount() {
        hear(1, OTHER);
        hear(2, ONE);
        pass(61);
        assertThat(hear(2, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(agreement.present()).isEqualTo(ONE);
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"UNKNOWN_TOPIC_ID", "INCONSISTENT_TOPIC_ID"})
    void tie_whereTheLeaderRefusesThePresentId_isDecided(Errors refusal) {
        brokers = 2;
        hear(1, OTHER);
        agreement.refused(refusal, nowNanos);
        assertThat(hear(1, OTHER)).as("only one has voted").isEqualTo(UNDECIDED);
        hear(2, ONE);
        assertThat(hear(1, OTHER)).isEqualTo(RECREATED);
    }

    @Test
    void tie_whereTheLeaderRefusesOtherwise_isDecidedAfterTenSeconds() {
        brokers = 2;
        hear(1, OTHER);
        hear(2, ONE);
        agreement.refused(Errors.NOT_LEADER_OR_FOLLOWER, nowNanos);
        pass(9);
        assertThat(hear(1, OTHER)).isEqualTo(UNDECIDED);
        pass(1);
        assertThat(hear(1, OTHER)).isEqualTo(RECREATED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tie_withoutARefusal_staysOne(boolean passing) {
        brokers = 2;
        agreement.refused(Errors.UNKNOWN_TOPIC_ID, nowNanos);
        pass(11); // Makes the refusal too old to count for the brokers' current answers.
        hear(1, OTHER);
        hear(2, ONE);
        if (passing) {
            agreement.refused(Errors.REQUEST_TIMED_OUT, nowNanos);
        }
        pass(30);
        assertThat(hear(1, OTHER)).isEqualTo(UNDECIDED);
    }

    @Test
    void refusal_beforeBrokersAgreedAgain_decidesNothing() {
        brokers = 2;
        hear(1, OTHER);
        hear(2, ONE);
        agreement.refused(Errors.UNKNOWN_TOPIC_ID, nowNanos);
        hear(1, ONE);
        pass(20);
        hear(1, OTHER);
        hear(2, ONE);
        assertThat(hear(1, OTHER)).isEqualTo(UNDECIDED);
    }

    @Test
    void formerId_ofTwoBrokersThatLag_isNotBelieved() {
        recreate();
        assertThat(hear(1, ONE)).isEqualTo(CONTRADICTED);
        assertThat(hear(2, ONE)).isEqualTo(CONTRADICTED);
        assertThat(hear(3, OTHER)).isEqualTo(PRESENT);
        pass(20);
        assertThat(hear(1, ONE)).isEqualTo(UNDECIDED);
    }

    @Test
    void formerId_whosePresentOneWasRefusedBeforeBrokersWereAsked_isBelieved() {
        recreate();
        agreement.refused(Errors.UNKNOWN_TOPIC_ID, nowNanos);
        pass(9);
        assertThat(hear(1, ONE)).isEqualTo(CONTRADICTED);
        assertThat(hear(2, ONE)).isEqualTo(RECREATED);
    }

    @Test
    void formerId_whosePresentOneIsRefused_isBelieved_andIsNoFormerIdAnyMore() {
        recreate();
        hear(1, ONE);
        agreement.refused(Errors.UNKNOWN_TOPIC_ID, nowNanos);
        assertThat(hear(2, ONE)).isEqualTo(RECREATED);
        assertThat(hear(1, THIRD)).isEqualTo(CONTRADICTED);
        assertThat(hear(2, THIRD)).isEqualTo(RECREATED);
        assertThat(hear(1, OTHER)).isEqualTo(CONTRADICTED);
        assertThat(hear(2, OTHER)).as("a former one still").isEqualTo(CONTRADICTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void formerId_withNoVoteForThePresentOne_isBelievedAfterTenSeconds(int clusterSize) {
        recreate();
        brokers = clusterSize;
        hear(1, ONE);
        hear(2, ONE);
        pass(9);
        assertThat(hear(1, ONE)).isEqualTo(UNDECIDED);
        pass(1);
        assertThat(hear(2, ONE)).isEqualTo(RECREATED);
    }

    @Test
    void answerWithoutAnId_changesNothing() {
        assertThat(hear(1, Uuid.ZERO_UUID)).isEqualTo(PRESENT);
        assertThat(agreement.present()).isEqualTo(ONE);
        assertThat(new TopicIdAgreement().hear(Uuid.ZERO_UUID, 1, 1, 0)).isEqualTo(PRESENT);
    }

    @Test
    void node_isFoundByTheAddressThatMetadataGive() {
        MetadataResponseData answer = new MetadataResponseData();
        for (int node : List.of(4, 5)) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost("b")
                            .setPort(node));
        }
        assertThat(TopicIdAgreement.nodeAt("b", 5, answer)).isEqualTo(5);
        assertThat(TopicIdAgreement.nodeAt("b", 6, answer)).isEqualTo(UNKNOWN_NODE);
        assertThat(TopicIdAgreement.nodeAt("c", 5, answer)).isEqualTo(UNKNOWN_NODE);
    }
}
