package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.commit.ScriptedCoordinator.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that a consumer's last commit is sent over a separate connection. The coordinator's responses are scripted. */
class DirectCommitTest {

    private static final long WITHIN_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long BRIEFLY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(
            new TopicPartition("t", 0), new OffsetAndMetadata(1),
            new TopicPartition("t", 1), new OffsetAndMetadata(7, Optional.of(5), "text"));

    private final ScriptedCoordinator coordinator = new ScriptedCoordinator();
    private final GroupMember client = new GroupMember(3, "member");

    /** Repeats an attempt without a delay. */
    private final DirectCommit commit = new DirectCommit(client, coordinator.config(), null, 0);

    DirectCommitTest() throws IOException {}

    @AfterEach
    void close() {
        coordinator.close();
    }

    /** A group without members would accept such a commit from anybody. */
    @ParameterizedTest
    @CsvSource({"-1, member", "3, ''"})
    void memberWithoutAGenerationOrAnId_connectsToNobody(int generation, String id) {
        client.joins(generation, id);
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(coordinator.connections).hasValue(0);
    }

    @Test
    void commitWithoutTime_connectsToNobody() {
        DirectCommit pausing = new DirectCommit(client, coordinator.config(), null, FOREVER_NANOS);
        assertThat(pausing.commit(OFFSETS, 0)).isFalse();
        assertThat(coordinator.connections).hasValue(0);
        assertThat(pausing.commit(OFFSETS, WITHIN_NANOS))
                .as("it was no failed attempt")
                .isTrue();
    }

    @Test
    void commit_isThatOfTheMemberInItsGeneration() throws Exception {
        client.joins(0, "member");
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
        OffsetCommitRequestData request = coordinator.nextCommit();
        assertThat(request.groupId()).isEqualTo("g");
        assertThat(request.memberId()).isEqualTo("member");
        assertThat(request.generationIdOrMemberEpoch()).isZero();
        assertThat(request.groupInstanceId()).isEqualTo("pod-1");
        assertThat(request.topics()).hasSize(1);
        assertThat(request.topics().getFirst().partitions())
                .containsExactlyInAnyOrder(
                        new OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(1)
                                .setCommittedMetadata(""),
                        new OffsetCommitRequestPartition()
                                .setPartitionIndex(1)
                                .setCommittedOffset(7)
                                .setCommittedLeaderEpoch(5)
                                .setCommittedMetadata("text"));
        assertThat(coordinator.commits).isEmpty();
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS))
                .as("it may do so again")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "FENCED_INSTANCE_ID",
                "UNKNOWN_MEMBER_ID",
                "ILLEGAL_GENERATION",
                "GROUP_AUTHORIZATION_FAILED",
                "TOPIC_AUTHORIZATION_FAILED"
            })
    void memberThatIsRefusedForGood_triesNoMoreInItsGeneration(Errors error) {
        coordinator.refusal = error;
        coordinator.replies.add(Reply.REFUSED);
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        int connections = coordinator.connections.get();
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(coordinator.connections).hasValue(connections);
        client.joins(4, "member");
        coordinator.refusal = Errors.NOT_COORDINATOR;
        coordinator.replies.add(Reply.REFUSED);
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "REBALANCE_IN_PROGRESS"})
    void memberThatIsRefusedForNow_triesAgain_afterItsPause(Errors error) {
        coordinator.refusal = error;
        coordinator.replies.add(Reply.REFUSED);
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
        assertThat(coordinator.commits).hasSize(2);

        DirectCommit pausing = new DirectCommit(client, coordinator.config(), null, FOREVER_NANOS);
        coordinator.replies.add(Reply.REFUSED);
        assertThat(pausing.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(pausing.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(coordinator.commits).hasSize(3);
        client.joins(4, "member");
        assertThat(pausing.commit(OFFSETS, WITHIN_NANOS))
                .as("another generation")
                .isTrue();
    }

    /** The unanswered commit might arrive after a later one, and move the committed offset back. */
    @Test
    void commitThatWasSentAndNotAnswered_isNotTriedAgainInItsGeneration() throws Exception {
        coordinator.replies.add(Reply.UNANSWERED);
        assertThat(commit.commit(OFFSETS, BRIEFLY_NANOS)).isFalse();
        assertThat(coordinator.nextCommit()).isNotNull();
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(coordinator.commits).isEmpty();
        client.joins(4, "member");
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
        assertThat(coordinator.nextCommit().generationIdOrMemberEpoch()).isEqualTo(4);
    }

    @Test
    void commitThatWasNotSent_isTriedAgain() {
        coordinator.lookupError = Errors.COORDINATOR_NOT_AVAILABLE;
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(coordinator.commits).isEmpty();
        coordinator.lookupError = Errors.NONE;
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
    }

    /** A closing consumer repeats its last commit every second. */
    @Test
    void refusals_areLogged_onceInAGeneration() {
        DirectCommit first = new DirectCommit(client, coordinator.config(), null, 0);
        coordinator.refusal = Errors.NOT_COORDINATOR;
        coordinator.replies.addAll(List.of(Reply.REFUSED, Reply.REFUSED, Reply.REFUSED, Reply.TAKEN, Reply.REFUSED));
        Runnable attempt = () -> assertThat(first.commit(OFFSETS, WITHIN_NANOS)).isFalse();
        assertThat(LoggedLines.of(attempt)).singleElement().asString().contains("INFO", "NOT_COORDINATOR");
        assertThat(LoggedLines.of(attempt)).isEmpty();
        client.joins(4, "member");
        assertThat(LoggedLines.of(attempt)).hasSize(1);
        assertThat(first.commit(OFFSETS, WITHIN_NANOS)).isTrue();
        assertThat(LoggedLines.of(attempt)).as("after a success").hasSize(1);
    }

    @Test
    void commitWhoseConnectionBreaks_isSentAgain_withinItsTime() {
        coordinator.replies.add(Reply.CUT);
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
        assertThat(coordinator.commits).hasSize(2);
    }

    @Test
    void memberThatCommitsBesideItsClientAtTheEndOnly_sendsNoOrdinaryCommit() {
        DirectCommit last = new DirectCommit(client, coordinator.config(), false);
        assertThat(last.send(OFFSETS, failure -> {})).isFalse();
        assertThat(last.isUnderWay()).isFalse();
        last.poll();
        last.await(WITHIN_NANOS);
        last.close();
        assertThat(coordinator.connections).hasValue(0);
    }

    @Test
    void memberThatAlwaysCommitsBesideItsClient_sendsOrdinaryCommits() {
        DirectCommit always = new DirectCommit(client, coordinator.config(), true);
        List<@Nullable Exception> answers = new ArrayList<>();
        send(always, answers);
        awaitTrue(() -> {
            always.poll();
            return !always.isUnderWay();
        });
        assertThat(answers).containsExactly((Exception) null);
        coordinator.replies.add(Reply.UNANSWERED);
        send(always, answers);
        always.await(1);
        assertThat(answers).hasSize(2).last().isInstanceOf(RetriableCommitFailedException.class);
    }

    @Test
    void memberThatCloses_closesItsConnection() {
        DirectCommit always = new DirectCommit(client, coordinator.config(), true);
        send(always, new ArrayList<>());
        always.close();
        awaitTrue(() -> coordinator.ended.get() == coordinator.connections.get());
    }

    private static void send(DirectCommit by, List<@Nullable Exception> answers) {
        awaitTrue(() -> by.send(OFFSETS, answers::add));
        assertThat(by.isUnderWay()).isTrue();
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long deadlineNanos = System.nanoTime() + WITHIN_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void commitThatFoundNoConnection_isTriedAgain() throws IOException {
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            coordinator.lookupPort = unused.getLocalPort();
        }
        assertThat(commit.commit(OFFSETS, BRIEFLY_NANOS)).isFalse();
        coordinator.lookupPort = 0;
        assertThat(commit.commit(OFFSETS, WITHIN_NANOS)).isTrue();
    }
}
