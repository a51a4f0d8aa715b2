package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.kafka.internal.share.member.CreditTuner.Look;
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
import java.util.function.IntPredicate;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientPathTest {

    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Plan TWO = new Plan(2, 1, AcquireMode.RECORD_LIMIT);

    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final ShareCounters counters = new ShareCounters();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<ShareClientStub> clients = new CopyOnWriteArrayList<>();
    private final List<Map<String, Object>> configs = new CopyOnWriteArrayList<>();
    private ClientPath path = path(number -> false);

    /** Returns a path. Its group refuses each member whose number, from 0, satisfies {@code refused}. */
    private ClientPath path(IntPredicate refused) {
        path = new ClientPath(setup(), config -> {
            boolean full = refused.test(clients.size());
            ShareClientStub client =
                    new ShareClientStub(config, 60_000, full ? new GroupMaxSizeReachedException("full") : null);
            clients.add(client);
            configs.add(config);
            return client;
        });
        return path;
    }

    private SharePath.Setup setup() {
        return new SharePath.Setup(
                "test",
                Map.of("client.id", "consumer"),
                List.of("orders"),
                () -> ShareClientStub.group(5, true),
                ready,
                counters,
                null,
                () -> {},
                failures::add);
    }

    @AfterEach
    void end() {
        assertThat(path.close(Duration.ZERO)).isZero();
    }

    private Batch<AcquiredRecord> take() throws InterruptedException {
        return Objects.requireNonNull(ready.take(System.nanoTime() + LONG.toNanos(), new StageMeter()));
    }

    @Test
    void plan_isARecordForEachWorker_byAFixedNumberOfConsumers() {
        assertThat(path.first(1, 16)).isEqualTo(new Plan(1, 1, AcquireMode.RECORD_LIMIT));
        assertThat(path.first(16, 16)).isEqualTo(new Plan(16, 1, AcquireMode.RECORD_LIMIT));
        assertThat(path.first(60, 16)).isEqualTo(new Plan(16, 4, AcquireMode.RECORD_LIMIT));
        assertThat(path.first(60, 1)).isEqualTo(new Plan(1, 60, AcquireMode.RECORD_LIMIT));
        assertThat(path.first(300, 200)).isEqualTo(new Plan(200, 2, AcquireMode.RECORD_LIMIT));
        Look starved = new Look(1, 1_000, 0.9, 0, 0.003, 0.02, 30, 2_000, 6);
        assertThat(path.next(TWO, starved, 60)).isEqualTo(TWO);
    }

    @Test
    void consumers_askForRecordsOneByOne_underNamesOfTheirOwn() {
        path.start(TWO);
        assertThat(configs)
                .extracting(
                        config -> config.get("client.id"),
                        config -> config.get("max.poll.records"),
                        config -> config.get("share.acquire.mode"))
                .containsExactly(tuple("consumer-0", 1, "record_limit"), tuple("consumer-1", 1, "record_limit"));
    }

    @Test
    void consumerThatTheGroupRefuses_endsAlone() {
        path(number -> number > 0).start(TWO);
        until(() -> assertThat(path.lanes()).isEqualTo(1));
        assertThat(clients).hasSize(2);
        assertThat(failures).isEmpty();
        assertThat(clients.getFirst().isClosed()).isFalse();
    }

    @Test
    void groupThatRefusesAllConsumers_failsTheRunWithTheWayOut() {
        path(number -> true).start(TWO);
        until(() -> assertThat(failures).hasSize(1));
        assertThat(failures.getFirst()).hasMessageContaining("group.share.max.size");
    }

    @Test
    void span_isThatOfAllConsumersTogether() throws Exception {
        path.start(TWO);
        clients.get(0).produce(ShareClientStub.record(3, 1));
        clients.get(1).produce(ShareClientStub.record(12, 1));
        Batch<AcquiredRecord> first = take();
        Batch<AcquiredRecord> second = first.size() == 2 ? first : take();
        until(() -> assertThat(path.widestSpan()).isEqualTo(10));
        first.ackAll();
        if (second != first) {
            second.ackAll();
        }
        until(() -> assertThat(path.widestSpan()).isZero());
    }

    @Test
    void member_hasJoined_onceTheGroupHasGivenAConsumerPartitions() throws Exception {
        path.start(TWO);
        clients.getFirst().produce(ShareClientStub.record(0, 1));
        take().ackAll();
        assertThat(path.isJoined()).isFalse();
        clients.getFirst().joined();
        clients.getFirst().produce(ShareClientStub.record(1, 1));
        take().ackAll();
        until(() -> assertThat(path.isJoined()).isTrue());
    }

    /** Regression: if a thread could not be started, close threw and left all clients open. */
    @Test
    void consumerThatWasNeverStarted_isClosed() throws Exception {
        ShareClientStub client = new ShareClientStub(Map.of("max.poll.records", 1), 60_000, null);
        assertThat(new ShareConsumerThread(setup(), 0, client, path).join(LONG)).isTrue();
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void closeThatIsInterrupted_givesBackAtOnce_andWaitsForTheConsumers() throws Exception {
        path.start(new Plan(1, 1, AcquireMode.RECORD_LIMIT));
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
        path(number -> false);
    }
}
