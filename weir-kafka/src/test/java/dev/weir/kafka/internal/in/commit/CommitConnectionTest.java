package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.commit.ScriptedCoordinator.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that ordinary commits are sent over a separate connection. The coordinator's responses are scripted. */
class CommitConnectionTest {

    private static final long WITHIN_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(1));

    private final ScriptedCoordinator coordinator = new ScriptedCoordinator();
    private final GroupMember client = new GroupMember(0, "member");
    private final List<@Nullable Exception> answers = new ArrayList<>();

    /** The connection under test. After its first failure, Kafka's client sends all further commits of the test. */
    private final CommitConnection connection = new CommitConnection(client, coordinator.config(), FOREVER_NANOS);

    CommitConnectionTest() throws IOException {}

    @AfterEach
    void close() {
        connection.close();
        coordinator.close();
    }

    private void await(CommitConnection of, BooleanSupplier condition) {
        long deadlineNanos = System.nanoTime() + WITHIN_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
            of.poll();
            Thread.onSpinWait();
        }
    }

    /** Waits until the coordinator is connected, and sends a commit. */
    private void send(CommitConnection to) {
        await(to, () -> to.send(OFFSETS, answers::add));
        assertThat(to.isUnderWay()).isTrue();
    }

    private void awaitAnswer() {
        await(connection, () -> !connection.isUnderWay());
    }

    private void assertFailed() {
        assertThat(answers).singleElement().isInstanceOf(RetriableCommitFailedException.class);
        assertThat(connection.isUnderWay()).isFalse();
        // Give the connection enough turns to look for the coordinator again.
        int connections = coordinator.connections.get();
        try (CommitConnection other = new CommitConnection(client, coordinator.config(), FOREVER_NANOS)) {
            await(other, () -> {
                assertThat(connection.send(OFFSETS, answers::add))
                        .as("the client commits now")
                        .isFalse();
                return other.send(OFFSETS, ignored -> {});
            });
        }
        assertThat(coordinator.connections).hasValue(connections + 2);
        assertThat(answers).hasSize(1);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Test
    void commits_goOverOneConnection_oneAfterTheOther() throws Exception {
        assertThat(connection.send(OFFSETS, answers::add))
                .as("nobody is connected yet")
                .isFalse();
        send(connection);
        assertThat(connection.send(OFFSETS, answers::add)).as("one at a time").isFalse();
        awaitAnswer();
        assertThat(answers).containsExactly((Exception) null);
        assertThat(coordinator.nextCommit().memberId()).isEqualTo("member");
        assertThat(connection.send(OFFSETS, answers::add)).as("at once").isTrue();
        awaitAnswer();
        assertThat(answers).hasSize(2).containsOnlyNulls();
        assertThat(coordinator.lookups).hasValue(1);
        assertThat(coordinator.connections).hasValue(2);
        await(connection, () -> coordinator.ended.get() == 1); // the lookup has ended its connection
    }

    @ParameterizedTest
    @CsvSource({"-1, member", "3, ''"})
    void memberWithoutAGenerationOrAnId_connectsToNobody(int generation, String id) {
        client.joins(generation, id);
        assertThat(connection.send(OFFSETS, answers::add)).isFalse();
        connection.poll();
        assertThat(coordinator.connections).hasValue(0);
    }

    // ---- Failures --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_MEMBER_ID", "COORDINATOR_LOAD_IN_PROGRESS"})
    void commitThatIsRefused_isToldSo_andTheClientCommitsForAWhile(Errors error) {
        coordinator.refusal = error;
        coordinator.replies.add(Reply.REFUSED);
        send(connection);
        awaitAnswer();
        assertFailed();
    }

    @Test
    void commitWhoseConnectionBreaks_isToldSo() {
        coordinator.replies.add(Reply.CUT);
        send(connection);
        awaitAnswer();
        assertFailed();
    }

    @Test
    void commitThatHasNoAnswerInTime_isGivenUp() {
        coordinator.replies.add(Reply.UNANSWERED);
        send(connection);
        assertThat(LoggedLines.of(() -> connection.await(TimeUnit.MILLISECONDS.toNanos(50))))
                .containsExactly("DEBUG the client commits for now: no answer");
        assertFailed();
    }

    @Test
    void commitWhoseConnectionBreaks_whileItIsAwaited_isToldSo() {
        coordinator.replies.add(Reply.CUT);
        send(connection);
        connection.await(WITHIN_NANOS);
        assertFailed();
    }

    @Test
    void commitThatIsAnsweredInTime_isAwaited() {
        send(connection);
        connection.await(WITHIN_NANOS);
        assertThat(answers).containsExactly((Exception) null);
        connection.await(FOREVER_NANOS);
    }

    @Test
    void coordinatorThatNobodyKnows_isLookedForAgain_afterThePause() {
        coordinator.lookupError = Errors.COORDINATOR_NOT_AVAILABLE;
        await(connection, () -> {
            assertThat(connection.send(OFFSETS, answers::add)).isFalse();
            return coordinator.lookups.get() > 0;
        });
        try (CommitConnection eager = new CommitConnection(client, coordinator.config(), 0)) {
            await(eager, () -> {
                assertThat(eager.send(OFFSETS, answers::add)).isFalse();
                return coordinator.lookups.get() > 2;
            });
            coordinator.lookupError = Errors.NONE;
            send(eager);
        }
        assertThat(answers).as("nothing was sent before").isEmpty();
    }

    @Test
    void lookupWhoseConnectionBreaks_isSentAgain() {
        coordinator.lookupsToCut.set(2);
        send(connection);
        awaitAnswer();
        assertThat(answers).containsExactly((Exception) null);
        assertThat(coordinator.lookups).hasValue(1);
    }

    @Test
    void coordinatorThatIsTooOld_isNotAskedAgain() throws IOException {
        coordinator.maxCommitVersion = 8;
        try (CommitConnection eager = new CommitConnection(client, coordinator.config(), 0)) {
            // One connection for the lookup, and one for the commit that could not be written.
            await(eager, () -> {
                assertThat(eager.send(OFFSETS, answers::add)).isFalse();
                return coordinator.ended.get() == 2;
            });
            try (ScriptedCoordinator recent = new ScriptedCoordinator();
                    CommitConnection other = new CommitConnection(client, recent.config(), FOREVER_NANOS)) {
                await(other, () -> {
                    assertThat(eager.send(OFFSETS, answers::add)).isFalse();
                    eager.poll();
                    return other.send(OFFSETS, ignored -> {});
                });
            }
            assertThat(coordinator.connections).hasValue(2);
            assertThat(eager.isUnderWay()).isFalse();
        }
        assertThat(answers).isEmpty();
        assertThat(coordinator.commits).isEmpty();
    }
}
