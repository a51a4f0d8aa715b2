package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Share consumers that come and go. */
@Timeout(60)
class ClientPathTest {

    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Plan TWO = new Plan(2, 1, AcquireMode.RECORD_LIMIT);

    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final ShareCounters counters = new ShareCounters();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<ShareClientStub> clients = new CopyOnWriteArrayList<>();
    private ClientPath path = path(16, number -> false);

    /** The group refuses the members whose numbers, from 0 on, {@code refused} says. */
    private ClientPath path(int maxLanes, IntPredicate refused) {
        path = new ClientPath(
                new ShareConsumerThread.Setup(
                        "test",
                        Map.of("client.id", "lane"),
                        List.of("orders"),
                        config -> {
                            ShareClientStub client = new ShareClientStub(
                                    config,
                                    60_000,
                                    refused.test(clients.size()) ? new GroupMaxSizeReachedException("full") : null);
                            clients.add(client);
                            return client;
                        },
                        () -> ShareClientStub.group(5, true),
                        ready,
                        counters,
                        new ScoutingConsumers(),
                        null,
                        () -> {},
                        failures::add),
                maxLanes);
        return path;
    }

    @AfterEach
    void end() {
        assertThat(path.close(Duration.ZERO)).isZero();
    }

    private Batch<AcquiredRecord> take() throws InterruptedException {
        return Objects.requireNonNull(ready.take(System.nanoTime() + LONG.toNanos(), new StageMeter()));
    }

    private long open() {
        return clients.stream().filter(client -> !client.isClosed()).count();
    }

    @Test
    void laneThatTheGroupRefuses_endsTheGrowthAndNotTheRun() {
        path(16, number -> number > 0).start(TWO);
        until(() -> assertThat(path.lanes()).isEqualTo(1));
        for (int i = 0; i < 5; i++) {
            path.follow(new Plan(4, 1, AcquireMode.RECORD_LIMIT));
        }
        assertThat(clients).hasSize(2);
        assertThat(failures).isEmpty();
        assertThat(clients.getFirst().isClosed()).isFalse();
    }

    @Test
    void groupThatRefusesAllLanes_failsTheRunWithTheWayOut() {
        path(16, number -> true).start(TWO);
        until(() -> assertThat(failures).hasSize(1));
        assertThat(failures.getFirst()).hasMessageContaining("group.share.max.size");
    }

    @Test
    void lanesThatEnd_countAmongTheMostAllowed() throws Exception {
        path(2, number -> false).start(TWO);
        until(() -> assertThat(open()).isEqualTo(2));
        clients.get(0).produce(ShareClientStub.record(0, 1));
        clients.get(1).produce(ShareClientStub.record(1, 1));
        Batch<AcquiredRecord> first = take();
        Batch<AcquiredRecord> second = first.size() == 2 ? first : take();
        Plan larger = new Plan(2, 8, AcquireMode.RECORD_LIMIT);
        for (int i = 0; i < 5; i++) {
            path.follow(larger);
        }
        // Both hold a record that is not done: the one that is to go has not ended.
        assertThat(clients).hasSize(2);
        assertThat(path.lanes()).isEqualTo(1);
        first.ackAll();
        if (second != first) {
            second.ackAll();
        }
        acknowledgeWhatComes();
        AtomicInteger offset = new AtomicInteger(2);
        until(() -> {
            path.follow(larger);
            // What goes next may have a question open, and then waits for what that brings.
            clients.get(0).produce(ShareClientStub.record(offset.getAndIncrement(), 1));
            clients.get(1).produce(ShareClientStub.record(offset.getAndIncrement(), 1));
            assertThat(open()).isLessThanOrEqualTo(2);
            assertThat(clients).hasSize(4);
            assertThat(path.lanes()).isEqualTo(2);
        });
    }

    /** Until the records end. */
    private void acknowledgeWhatComes() {
        var unused = CompletableFuture.runAsync(() -> {
            try {
                Batch<AcquiredRecord> batch = take();
                while (true) {
                    batch.ackAll();
                    batch = take();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
    }

    // Without room a share consumer goes before its successor comes, which asks for nothing as long as the workers have
    // enough.
    @Test
    void memberThatHasJoined_staysSo_whileLanesAreReplaced() {
        path(1, number -> false).start(new Plan(1, 1, AcquireMode.RECORD_LIMIT));
        acknowledgeWhatComes();
        clients.getFirst().produce(ShareClientStub.record(0, 1));
        until(() -> assertThat(counters.acquired.sum()).isOne());
        assertThat(path.isJoined()).isFalse();
        clients.getFirst().joined();
        clients.getFirst().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(path.isJoined()).isTrue());
        path.follow(new Plan(1, 8, AcquireMode.RECORD_LIMIT));
        assertThat(path.lanes()).isZero();
        assertThat(path.isJoined()).isTrue();
    }

    @Test
    void closeThatIsInterrupted_givesBackAtOnce_andWaitsForTheLanes() throws Exception {
        path(1, number -> false).start(new Plan(1, 1, AcquireMode.RECORD_LIMIT));
        clients.getFirst().produce(ShareClientStub.record(0, 1));
        take();
        CompletableFuture<Integer> unfinished = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        ClientPath closing = path;
        Thread closer = Thread.ofPlatform().start(() -> {
            unfinished.complete(closing.close(Duration.ofDays(1)));
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        closer.interrupt();
        assertThat(unfinished.get(50, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(interrupted.get(50, TimeUnit.SECONDS)).isTrue();
        assertThat(clients.getFirst().told()).containsExactly("0 RELEASE");
        path(16, number -> false);
    }
}
