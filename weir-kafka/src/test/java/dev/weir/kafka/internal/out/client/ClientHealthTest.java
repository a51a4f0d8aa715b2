package dev.weir.kafka.internal.out.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the detection of a Kafka client whose thread has died. */
class ClientHealthTest {

    private static final String NAME = "kafka-producer-network-thread | 1";

    private final ClientHealth health = new ClientHealth(false);
    private final SplittingClient client = new SplittingClient();
    private final ClientThread unknown = new ClientThread();

    private static ClientThread dead(String name) throws InterruptedException {
        ClientThread dead = new ClientThread();
        Thread.ofPlatform().name(name).start(dead::heard).join();
        return dead;
    }

    private Found look(ClientThread thread, long answered, long unanswered, boolean awaited) {
        return health.look(client, thread, answered, unanswered, awaited, 0);
    }

    // Answers of a dead thread may still arrive during the first check.
    @ParameterizedTest
    @ValueSource(strings = {NAME, "weir-lean-producer"})
    void thread_thatIsSeenDeadTwiceWithoutAnAnswerBetween_leavesAnswersMissing(String name) throws Exception {
        ClientThread dead = dead(name);
        assertThat(look(unknown, 1, 5, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 1, 5, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 2, 4, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 2, 4, false)).isEqualTo(Found.DEAD);
    }

    @Test
    void thread_thatIsDead_isMissedByWhatIsAwaited_andByNobodyElse() throws Exception {
        ClientThread dead = dead(NAME);
        for (int looks = 0; looks < 3; looks++) {
            assertThat(look(dead, 5, 0, false)).isEqualTo(Found.WELL);
        }
        assertThat(look(dead, 5, 0, true)).isEqualTo(Found.WELL);
        assertThat(look(dead, 5, 0, true)).isEqualTo(Found.DEAD);
    }

    // The thread refers to its closed client's buffers.
    @Test
    void thread_thatIsDead_isNotKeptReachable_andStaysDead() throws Exception {
        ClientThread dead = new ClientThread();
        WeakReference<Thread> thread =
                new WeakReference<>(Thread.ofPlatform().name(NAME).start(dead::heard));

        for (long until = System.nanoTime() + SECONDS.toNanos(30); !thread.refersTo(null); ) {
            assertThat(System.nanoTime()).as("collected in time").isLessThan(until);
            System.gc();
        }

        assertThat(dead.isDead()).isTrue();
    }

    @Test
    void thread_thatIsNotKnown_orIsNotTheClients_isNotDead() throws Exception {
        for (ClientThread thread : List.of(unknown, dead("sender"))) {
            for (int looks = 0; looks < 3; looks++) {
                assertThat(look(thread, 0, 5, true)).isEqualTo(Found.WELL);
            }
        }
    }

    @Test
    void splits_ofASharedClient_countByTheThousandOnly() {
        ClientHealth ofShared = new ClientHealth(true);
        assertThat(ofShared.look(client, unknown, 0, 5, false, 0)).isEqualTo(Found.WELL);
        client.splits = 999;
        assertThat(ofShared.look(client, unknown, 0, 5, false, SECONDS.toNanos(60)))
                .isEqualTo(Found.WELL);
        client.splits = 1_000;
        assertThat(ofShared.look(client, unknown, 0, 5, false, SECONDS.toNanos(60)))
                .isEqualTo(Found.SPLITS);
    }

    @Test
    void failure_saysWhatToDo() {
        assertThat(health.failure(Found.WELL)).isNull();
        assertThat(health.failure(Found.SPLITS))
                .hasMessageContaining("max.message.bytes")
                .hasMessageContaining("batch.size");
        assertThat(health.failure(Found.DEAD)).hasMessageContaining("the thread of the producer has ended");
    }
}
