package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster with one bootstrap address. By default, brokers 1 and 2 are known. */
class ShareClusterTest {

    private static final long MILLISECOND = 1_000_000;
    private static final long MAX_AGE = 300_000 * MILLISECOND;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final String HOST = LOOPBACK.getHostAddress();
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final InetSocketAddress BOOTSTRAP = new InetSocketAddress(LOOPBACK, 9);

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ShareCluster cluster =
            new ShareCluster("group", List.of("topic", "other"), List.of(BOOTSTRAP), receiver, 1);
    private long now;

    ShareClusterTest() {
        pass(1_000 * MILLISECOND);
    }

    private static InetSocketAddress broker(int node) {
        return new InetSocketAddress(LOOPBACK, node);
    }

    private static MetadataResponseData metadata(int leader, int epoch, int... alive) {
        MetadataResponseTopic topic =
                new MetadataResponseTopic().setTopicId(TOPIC).setName("topic");
        topic.partitions()
                .add(new MetadataResponsePartition()
                        .setPartitionIndex(0)
                        .setLeaderId(leader)
                        .setLeaderEpoch(epoch));
        MetadataResponseData answer = new MetadataResponseData();
        answer.topics().add(topic);
        for (int node : alive) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost(HOST)
                            .setPort(node));
        }
        return answer;
    }

    private static FindCoordinatorResponseData coordinator(Errors error, int node) {
        FindCoordinatorResponseData answer = new FindCoordinatorResponseData();
        answer.coordinators()
                .add(new Coordinator().setErrorCode(error.code()).setHost(HOST).setPort(node));
        return answer;
    }

    private void pass(long nanos) {
        now += nanos;
        cluster.at(now);
    }

    /** Waits until the next request is allowed. */
    private void pause() {
        pass(2_000 * MILLISECOND);
    }

    /** Answers the first two requests: broker 2 is the coordinator, and broker 1 the leader at epoch 4. */
    private void learn() {
        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        cluster.answered(coordinator(Errors.NONE, 2));
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.answered(metadata(1, 4, 1, 2));
    }

    private void ask(MetadataResponseData answer) {
        pause();
        assertThat(cluster.isDue()).isTrue();
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.answered(answer);
    }

    // ---- Requests --------------------------------------------------------------------------------------------------

    @Test
    void firstRequests_areForTheCoordinatorAndTheLeaders_oneAfterTheOther() {
        assertThat(cluster.isDue()).isTrue();
        FindCoordinatorRequestData first = (FindCoordinatorRequestData) cluster.next();
        assertThat(first.coordinatorKeys()).containsExactly("group");
        assertThat(first.keyType()).isZero();
        assertThat(cluster.isDue()).as("one at a time").isFalse();
        assertThat(cluster.coordinator()).isNull();
        cluster.answered(coordinator(Errors.NONE, 2));
        assertThat(cluster.coordinator()).isEqualTo(InetSocketAddress.createUnresolved(HOST, 2));

        assertThat(cluster.isDue()).as("without a pause").isTrue();
        MetadataRequestData second = (MetadataRequestData) cluster.next();
        assertThat(second.topics()).extracting(MetadataRequestTopic::name).containsExactly("topic", "other");
        assertThat(second.allowAutoTopicCreation()).isFalse();
        cluster.doubtCoordinator();
        pause();
        assertThat(cluster.isDue()).as("one at a time").isFalse();
        cluster.answered(metadata(1, 4, 1, 2));
        assertThat(cluster.leader(ZERO)).isEqualTo(1);
        assertThat(cluster.addresses(1)).containsExactly(broker(1));
        assertThat(cluster.partition(TOPIC, 0)).isEqualTo(ZERO);
        assertThat(cluster.partition(new Uuid(5, 6), 0)).isNull();

        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        cluster.answered(coordinator(Errors.NONE, 2));
        pause();
        assertThat(cluster.isDue()).as("all is known").isFalse();
    }

    @Test
    void requestWithoutAResponse_isSentAgain_andNoOther() {
        learn();
        cluster.doubtLeaders();
        pause();
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.lost();
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.answered(metadata(1, 4, 1, 2));

        cluster.doubtCoordinator();
        pause();
        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        cluster.lost();
        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        cluster.answered(coordinator(Errors.NONE, 1));
        assertThat(cluster.coordinator()).isEqualTo(InetSocketAddress.createUnresolved(HOST, 1));
        pause();
        assertThat(cluster.isDue()).as("nobody has doubted the leaders").isFalse();
    }

    @Test
    void connectionLostWithoutARequest_asksNothing() {
        learn();
        cluster.lost();
        pause();
        assertThat(cluster.isDue()).isFalse();
    }

    @Test
    void doubtWhileItsResponseIsUnderWay_waitsForThatResponse() {
        learn();
        cluster.doubtLeaders();
        pause();
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.doubtLeaders();
        cluster.answered(metadata(1, 4, 1, 2));
        pause();
        assertThat(cluster.isDue()).isFalse();

        cluster.doubtCoordinator();
        pause();
        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        cluster.doubtCoordinator();
        cluster.answered(coordinator(Errors.NONE, 2));
        pause();
        assertThat(cluster.isDue()).isFalse();
    }

    @Test
    void leaders_areAskedForAgainOnceTheyAreOld_andFromAnotherBroker() {
        learn();
        pass(MAX_AGE);
        assertThat(cluster.isDue()).isFalse();
        assertThat(cluster.leave()).isFalse();
        pass(1);
        assertThat(cluster.isDue()).isTrue();
        assertThat(cluster.leave()).isTrue();
        assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
        cluster.answered(metadata(1, 4, 1, 2));
        pass(MAX_AGE);
        assertThat(cluster.isDue()).isFalse();
    }

    @Test
    void coordinatorThatIsNotThere_isLookedUpAgain_afterAWaitThatGrows() {
        long shortest = 0;
        for (int i = 0; i < 3; i++) {
            assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
            cluster.answered(coordinator(Errors.COORDINATOR_NOT_AVAILABLE, 2));
            assertThat(cluster.coordinator()).isNull();
            shortest = shortest == 0 ? 16 * MILLISECOND : 2 * shortest;
            pass(shortest - 1);
            if (i == 0) {
                assertThat(cluster.next()).as("the lookup waits").isInstanceOf(MetadataRequestData.class);
                cluster.answered(metadata(1, 4, 1, 2));
            }
            assertThat(cluster.isDue()).isFalse();
            pass(shortest / 2 + 2);
            assertThat(cluster.isDue()).isTrue();
        }
        assertThat(receiver.fatal).isEmpty();
    }

    /** The next lost coordinator must be looked up without a long wait. */
    @Test
    void coordinatorThatAnswers_endsTheWaits() {
        learn();
        for (int i = 0; i < 5; i++) {
            cluster.doubtCoordinator();
            pause();
            assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
            cluster.answered(coordinator(Errors.NONE, 2));
        }
        cluster.confirmCoordinator();
        cluster.doubtCoordinator();
        pass(25 * MILLISECOND);
        assertThat(cluster.isDue()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"GROUP_AUTHORIZATION_FAILED", "INVALID_REQUEST"})
    void coordinatorThatNobodyMayAskFor_isFatal(Errors error) {
        assertThat(cluster.next()).isNotNull();
        cluster.answered(coordinator(error, 2));
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOf(error.exception().getClass());
        assertThat(cluster.coordinator()).isNull();
    }

    // ---- Leaders ---------------------------------------------------------------------------------------------------

    @Test
    void leader_isReplacedByANewerOne_andNotByAnOlder() {
        learn();
        cluster.doubtLeaders();
        ask(metadata(2, 3, 1, 2));
        assertThat(cluster.leader(ZERO)).as("an older epoch").isEqualTo(1);
        ask(metadata(2, 5, 1, 2));
        assertThat(cluster.leader(ZERO)).isEqualTo(2);
        pause();
        assertThat(cluster.isDue()).isFalse();
    }

    /** The leader comes back with the same epoch or with another epoch. */
    @Test
    void leaderThatIsDown_isNobody_untilMetadataNameItAgain() {
        learn();
        cluster.doubtLeaders();
        ask(metadata(-1, 4, 2));
        assertThat(cluster.leader(ZERO)).isNull();
        assertThat(cluster.addresses(1)).as("it keeps its address").containsExactly(broker(1));
        ask(metadata(1, 4, 1, 2));
        assertThat(cluster.leader(ZERO)).isEqualTo(1);
        pause();
        assertThat(cluster.isDue()).isFalse();
    }

    @Test
    void leaderWithoutAnAddress_isNobody() {
        learn();
        cluster.doubtLeaders();
        ask(metadata(7, 5, 1, 2));
        assertThat(cluster.leader(ZERO)).isNull();
    }

    @Test
    void leaderThatIsForgotten_isAskedFor_andAnOlderEpochDoesNotBringItBack() {
        learn();
        cluster.forget(ZERO);
        assertThat(cluster.leader(ZERO)).isNull();
        ask(metadata(2, 3, 1, 2));
        assertThat(cluster.leader(ZERO)).isNull();
        ask(metadata(2, 4, 1, 2));
        assertThat(cluster.leader(ZERO)).isEqualTo(2);
    }

    @Test
    void leaderThatABrokerNames_isBelievedIfItIsNewer_andItsAddressIsKnown() {
        learn();
        cluster.hint(ZERO, 2, 4, broker(2));
        assertThat(cluster.leader(ZERO)).as("the same epoch").isEqualTo(1);
        cluster.hint(ZERO, 3, 5, null);
        assertThat(cluster.leader(ZERO)).as("nobody knows its address").isEqualTo(1);
        cluster.hint(ZERO, 3, 5, broker(3));
        assertThat(cluster.leader(ZERO)).isEqualTo(3);
        assertThat(cluster.addresses(3)).containsExactly(broker(3));
        cluster.hint(ZERO, 2, 6, new InetSocketAddress(LOOPBACK, 22));
        assertThat(cluster.addresses(2)).as("as metadata say").containsExactly(broker(2));
        TopicIdPartition unknown = new TopicIdPartition(TOPIC, 7, "topic");
        cluster.hint(unknown, 2, 9, broker(2));
        assertThat(cluster.leader(unknown)).isNull();
    }

    @Test
    void brokerThatMoves_hasItsNewAddress() {
        learn();
        cluster.doubtLeaders();
        MetadataResponseData moved = metadata(1, 4, 1, 2);
        moved.brokers().find(1).setPort(11);
        ask(moved);
        assertThat(cluster.addresses(1)).containsExactly(broker(11));
    }

    @Test
    void topicThatCannotBeRead_isFatal_andOneThatIsNotThereYetIsAskedForAgain() {
        learn();
        cluster.doubtLeaders();
        MetadataResponseData missing = metadata(1, 4, 1, 2);
        missing.topics().find("topic").setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        ask(missing);
        assertThat(receiver.fatal).isEmpty();
        assertThat(cluster.leader(ZERO)).as("what is known stays").isEqualTo(1);
        MetadataResponseData forbidden = metadata(1, 4, 1, 2);
        forbidden.topics().find("topic").setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        ask(forbidden);
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOfSatisfying(
                        TopicAuthorizationException.class,
                        fault -> assertThat(fault.unauthorizedTopics()).containsExactly("topic"));
    }

    /** The assignment names a topic id. A stale broker must not hide a recreated topic's other id. */
    @Test
    void recreatedTopic_isKnownByBothIds() {
        learn();
        cluster.doubtLeaders();
        Uuid newId = new Uuid(3, 4);
        MetadataResponseData recreated = metadata(2, 0, 1, 2);
        recreated.topics().find("topic").setTopicId(newId);
        ask(recreated);
        TopicIdPartition newZero = new TopicIdPartition(newId, 0, "topic");
        assertThat(cluster.partition(newId, 0)).isEqualTo(newZero);
        assertThat(cluster.leader(newZero)).isEqualTo(2);
        assertThat(cluster.leader(ZERO)).isEqualTo(1);
    }

    // ---- The broker to ask -----------------------------------------------------------------------------------------

    @Test
    void brokersOfTheLastAnswer_areAskedInTurn_andTheBootstrapOnceAllFailed() {
        assertThat(cluster.nextToAsk()).containsExactly(BOOTSTRAP);
        learn();
        List<InetSocketAddress> asked =
                List.of(cluster.nextToAsk().getFirst(), cluster.nextToAsk().getFirst());
        assertThat(asked).containsExactlyInAnyOrder(broker(1), broker(2));
        cluster.lost();
        cluster.lost();
        assertThat(cluster.nextToAsk()).containsExactly(BOOTSTRAP);
        cluster.lost();
        assertThat(cluster.nextToAsk().getFirst()).isIn(broker(1), broker(2));
    }

    /** The broker may be cut off from the controllers. */
    @Test
    void brokerWhoseMetadataDoNotHelp_isLeft_unlessAResponseIsUnderWay() {
        learn();
        cluster.doubtLeaders();
        ask(metadata(1, 3, 1, 2));
        assertThat(cluster.leave()).as("two responses did not help").isTrue();
        assertThat(cluster.leave()).as("the other broker has not answered yet").isFalse();
        ask(metadata(1, 3, 1, 2));
        ask(metadata(1, 3, 1, 2));
        pause();
        assertThat(cluster.next()).isNotNull();
        assertThat(cluster.leave()).isFalse();
        cluster.answered(metadata(1, 3, 1, 2));
        assertThat(cluster.leave()).isTrue();
    }

    @Test
    void brokerThatNamesAWrongCoordinator_isLeft() {
        learn();
        cluster.doubtCoordinator();
        pause();
        assertThat(cluster.next()).isInstanceOf(FindCoordinatorRequestData.class);
        assertThat(cluster.leave()).as("a response is under way").isFalse();
        cluster.answered(coordinator(Errors.NONE, 2));
        cluster.doubtCoordinator();
        assertThat(cluster.leave()).isTrue();
    }

    /** While a partition has no leader, the member must not reconnect after every two responses. */
    @Test
    void partitionWithoutALeader_hasBrokersLeftLessAndLessOften() {
        learn();
        cluster.doubtLeaders();
        long first = untilLeft();
        long last = first;
        for (int i = 0; i < 12; i++) {
            last = untilLeft();
        }
        assertThat(last).isGreaterThan(8 * first).isBetween(800 * MILLISECOND, 7_000 * MILLISECOND);
    }

    /** Returns the time until a broker is left, while no response names a leader. */
    private long untilLeft() {
        long from = now;
        while (!cluster.leave()) {
            assertThat(now - from).isLessThan(60_000 * MILLISECOND);
            pass(MILLISECOND);
            if (cluster.isDue()) {
                assertThat(cluster.next()).isInstanceOf(MetadataRequestData.class);
                cluster.answered(metadata(-1, 4, 1, 2));
            }
        }
        return now - from;
    }

    @Test
    void brokerWithoutAnAddress_isNamed() {
        assertThatNullPointerException().isThrownBy(() -> cluster.addresses(77)).withMessage("address of broker 77");
    }
}
