package dev.weir.kafka.internal.share.session;

import static org.assertj.core.api.Assertions.assertThat;

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

/** A directory with one bootstrap address. Brokers 1 and 2 are alive unless a test says otherwise. */
class ClusterDirectoryTest {

    private static final long MILLISECOND = 1_000_000;
    private static final long MAX_AGE = 300_000 * MILLISECOND;
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final InetSocketAddress BOOTSTRAP = InetSocketAddress.createUnresolved("bootstrap", 9);

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ClusterDirectory directory =
            new ClusterDirectory("group", List.of("topic", "other"), List.of(BOOTSTRAP), receiver);
    private long now = 1_000 * MILLISECOND;

    private static InetSocketAddress broker(int node) {
        return InetSocketAddress.createUnresolved("broker" + node, node);
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
                            .setHost("broker" + node)
                            .setPort(node));
        }
        return answer;
    }

    private static FindCoordinatorResponseData coordinator(Errors error, int node) {
        FindCoordinatorResponseData answer = new FindCoordinatorResponseData();
        answer.coordinators()
                .add(new Coordinator()
                        .setErrorCode(error.code())
                        .setHost("broker" + node)
                        .setPort(node));
        return answer;
    }

    /** Sends and answers the first two requests: the coordinator is broker 2, and broker 1 is the leader at epoch 4. */
    private void learn() {
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.answered(coordinator(Errors.NONE, 2));
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.answered(metadata(1, 4, 1, 2));
    }

    /** Advances the time until the next request is due. */
    private void pause() {
        now += 100 * MILLISECOND;
    }

    private void ask(MetadataResponseData answer) {
        pause();
        assertThat(directory.isDue(now)).isTrue();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.answered(answer);
    }

    // ---- Questions -------------------------------------------------------------------------------------------------

    @Test
    void firstQuestions_areTheCoordinatorAndTheLeaders_oneAfterTheOther() {
        assertThat(directory.isDue(now)).isTrue();
        FindCoordinatorRequestData first = (FindCoordinatorRequestData) directory.next(now);
        assertThat(first.coordinatorKeys()).containsExactly("group");
        assertThat(first.keyType()).isZero();
        assertThat(directory.isDue(now + MAX_AGE)).as("one at a time").isFalse();
        assertThat(directory.coordinator()).isNull();
        directory.answered(coordinator(Errors.NONE, 2));
        assertThat(directory.coordinator()).isEqualTo(broker(2));

        assertThat(directory.isDue(now)).as("without a pause").isTrue();
        MetadataRequestData second = (MetadataRequestData) directory.next(now);
        assertThat(second.topics()).extracting(MetadataRequestTopic::name).containsExactly("topic", "other");
        assertThat(second.allowAutoTopicCreation()).isFalse();
        directory.answered(metadata(1, 4, 1, 2));
        assertThat(directory.leader(ZERO)).isEqualTo(1);
        assertThat(directory.address(1)).isEqualTo(broker(1));
        assertThat(directory.address(3)).isNull();
        assertThat(directory.partition(TOPIC, 0)).isEqualTo(ZERO);
        assertThat(directory.partition(new Uuid(5, 6), 0)).isNull();

        pause();
        assertThat(directory.isDue(now)).as("all is known").isFalse();
    }

    @Test
    void questionThatHasNoAnswer_isAskedAgain_withoutTheOther() {
        learn();
        directory.doubtLeaders();
        pause();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.lost();
        assertThat(directory.isDue(now + 100 * MILLISECOND - 1))
                .as("a pause first")
                .isFalse();
        pause();
        assertThat(directory.isDue(now)).isTrue();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.answered(metadata(1, 4, 1, 2));

        directory.doubtCoordinator();
        pause();
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.lost();
        pause();
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.answered(coordinator(Errors.NONE, 1));
        assertThat(directory.coordinator()).isEqualTo(broker(1));
        pause();
        assertThat(directory.isDue(now)).as("nobody has doubted the leaders").isFalse();
    }

    @Test
    void connectionThatIsLostWithoutAQuestion_asksNothing() {
        learn();
        directory.lost();
        pause();
        assertThat(directory.isDue(now)).isFalse();
    }

    /** Another request would be sent before it is known whether the response to the first one helped. */
    @Test
    void doubtWhileItsAnswerIsUnderWay_waitsForThatAnswer_andAsksTheOtherQuestion() {
        learn();
        directory.doubtLeaders();
        pause();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.doubtLeaders();
        directory.doubtCoordinator();
        directory.answered(metadata(1, 4, 1, 2));
        pause();
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.doubtCoordinator();
        directory.doubtLeaders();
        directory.answered(coordinator(Errors.NONE, 2));
        assertThat(directory.isDue(now)).as("a pause first").isFalse();
        pause();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.answered(metadata(1, 4, 1, 2));
        pause();
        assertThat(directory.isDue(now)).isFalse();
    }

    @Test
    void leaders_areAskedForAgainOnceTheyAreOld() {
        learn();
        assertThat(directory.isDue(now + MAX_AGE)).isFalse();
        now += MAX_AGE + 1;
        assertThat(directory.isDue(now)).isTrue();
        assertThat(directory.next(now)).isInstanceOf(MetadataRequestData.class);
        directory.answered(metadata(1, 4, 1, 2));
        assertThat(directory.isDue(now + MAX_AGE)).isFalse();
    }

    @Test
    void coordinatorThatIsNotThere_isAskedForAgain_afterAPause() {
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.answered(coordinator(Errors.COORDINATOR_NOT_AVAILABLE, 2));
        assertThat(directory.coordinator()).isNull();
        assertThat(directory.isDue(now + 100 * MILLISECOND - 1)).isFalse();
        pause();
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        assertThat(receiver.fatal).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"GROUP_AUTHORIZATION_FAILED", "INVALID_REQUEST"})
    void coordinatorThatNobodyMayAskFor_isFatal(Errors error) {
        assertThat(directory.next(now)).isNotNull();
        directory.answered(coordinator(error, 2));
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOf(error.exception().getClass());
        assertThat(directory.coordinator()).isNull();
    }

    // ---- Leaders ---------------------------------------------------------------------------------------------------

    @Test
    void leader_isReplacedByANewerOne_andNotByAnOlder() {
        learn();
        directory.doubtLeaders();
        ask(metadata(2, 3, 1, 2));
        assertThat(directory.leader(ZERO)).as("an older epoch").isEqualTo(1);
        pause();
        assertThat(directory.isDue(now)).as("the answer did not help").isTrue();
        ask(metadata(2, 5, 1, 2));
        assertThat(directory.leader(ZERO)).isEqualTo(2);
        pause();
        assertThat(directory.isDue(now)).isFalse();
    }

    /** The leader comes back with the same epoch or with another one. */
    @Test
    void leaderThatIsDown_isNobody_untilMetadataNameItAgain() {
        learn();
        directory.doubtLeaders();
        ask(metadata(1, 4, 2));
        assertThat(directory.leader(ZERO)).isNull();
        assertThat(directory.address(1)).as("it keeps its address").isEqualTo(broker(1));
        ask(metadata(1, 4, 1, 2));
        assertThat(directory.leader(ZERO)).isEqualTo(1);
        pause();
        assertThat(directory.isDue(now)).isFalse();
    }

    @Test
    void leaderThatIsForgotten_isAskedFor_andAnOlderEpochDoesNotBringItBack() {
        learn();
        directory.forget(ZERO);
        assertThat(directory.leader(ZERO)).isNull();
        ask(metadata(2, 3, 1, 2));
        assertThat(directory.leader(ZERO)).isNull();
        ask(metadata(2, 4, 1, 2));
        assertThat(directory.leader(ZERO)).isEqualTo(2);
    }

    @Test
    void leaderThatABrokerNames_isBelievedIfItIsNewer_andItsAddressIsKnown() {
        learn();
        directory.hint(ZERO, 2, 4, broker(2));
        assertThat(directory.leader(ZERO)).as("the same epoch").isEqualTo(1);
        directory.hint(ZERO, 3, 5, null);
        assertThat(directory.leader(ZERO)).as("nobody knows its address").isEqualTo(1);
        directory.hint(ZERO, 3, 5, broker(3));
        assertThat(directory.leader(ZERO)).isEqualTo(3);
        assertThat(directory.address(3)).isEqualTo(broker(3));
        directory.hint(ZERO, 2, 6, InetSocketAddress.createUnresolved("elsewhere", 2));
        assertThat(directory.address(2)).as("as metadata say").isEqualTo(broker(2));
        TopicIdPartition unknown = new TopicIdPartition(TOPIC, 7, "topic");
        directory.hint(unknown, 2, 9, broker(2));
        assertThat(directory.leader(unknown)).isNull();
    }

    @Test
    void topicThatCannotBeRead_isFatal_andOneThatIsNotThereYetIsAskedForAgain() {
        learn();
        directory.doubtLeaders();
        MetadataResponseData missing = metadata(1, 4, 1, 2);
        missing.topics().find("topic").setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        ask(missing);
        assertThat(receiver.fatal).isEmpty();
        assertThat(directory.leader(ZERO)).as("what is known stays").isEqualTo(1);
        MetadataResponseData forbidden = metadata(1, 4, 1, 2);
        forbidden.topics().find("topic").setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        ask(forbidden);
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOfSatisfying(
                        TopicAuthorizationException.class,
                        fault -> assertThat(fault.unauthorizedTopics()).containsExactly("topic"));
    }

    // ---- The broker to ask -----------------------------------------------------------------------------------------

    @Test
    void brokersOfTheLastAnswer_areAskedInTurn_andTheBootstrapOnceAllFailed() {
        assertThat(directory.nextToAsk()).containsExactly(BOOTSTRAP);
        learn();
        List<InetSocketAddress> asked =
                List.of(directory.nextToAsk().getFirst(), directory.nextToAsk().getFirst());
        assertThat(asked).containsExactlyInAnyOrder(broker(1), broker(2));
        directory.lost();
        directory.lost();
        assertThat(directory.nextToAsk()).containsExactly(BOOTSTRAP);
        directory.lost();
        assertThat(directory.nextToAsk().getFirst()).isIn(broker(1), broker(2));
    }

    /** The broker may be cut off from the controllers. */
    @Test
    void brokerWhoseAnswersDoNotHelp_isLeft_andEachRoundStaysLonger() {
        learn();
        long left = now;
        directory.left(left);
        directory.doubtLeaders();
        assertThat(directory.isToBeLeft(left + 10_000 * MILLISECOND))
                .as("it has not answered yet")
                .isFalse();
        ask(metadata(1, 3, 1, 2));
        assertThat(directory.isToBeLeft(left + 200 * MILLISECOND - 1)).isFalse();
        assertThat(directory.isToBeLeft(left + 200 * MILLISECOND)).isTrue();
        assertThat(directory.next(now)).isNotNull();
        assertThat(directory.isToBeLeft(left + 10_000 * MILLISECOND))
                .as("an answer is under way")
                .isFalse();
        directory.lost();
        directory.lost();
        directory.lost();

        now += 10_000 * MILLISECOND;
        long again = now;
        directory.left(again);
        ask(metadata(1, 3, 1, 2));
        assertThat(directory.isToBeLeft(again + 10_000 * MILLISECOND))
                .as("one answer")
                .isFalse();
        ask(metadata(1, 3, 1, 2));
        assertThat(directory.isToBeLeft(again + 400 * MILLISECOND - 1))
                .as("all were asked in vain")
                .isFalse();
        assertThat(directory.isToBeLeft(again + 400 * MILLISECOND)).isTrue();
    }

    @Test
    void brokerWhoseMetadataAreOld_isLeftAtOnce() {
        learn();
        now += MAX_AGE - 100 * MILLISECOND;
        directory.left(now);
        directory.doubtCoordinator();
        pause();
        assertThat(directory.next(now)).isInstanceOf(FindCoordinatorRequestData.class);
        directory.answered(coordinator(Errors.NONE, 2));
        assertThat(directory.isToBeLeft(now)).isFalse();
        assertThat(directory.isToBeLeft(now + 1)).isTrue();
    }
}
