package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.share.group.GroupStart;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import dev.weir.stream.spi.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShareRunTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);

    private final ShareCounters counters = new ShareCounters();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final FakeGroup group = new FakeGroup();
    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final List<ShareGroupConfig> configs = new CopyOnWriteArrayList<>();
    private List<String> troubles = List.of();

    private ShareRun run(SharePath path) {
        return run(path, null);
    }

    private ShareRun run(SharePath path, @Nullable ParkedCopies copies) {
        return run(path, copies, settings());
    }

    private static ShareSettings.Builder<byte[], byte[]> settings() {
        return ShareSettings.builder()
                .bootstrapServers("localhost:1")
                .groupId("group")
                .workers(4);
    }

    private ShareRun run(
            SharePath path, @Nullable ParkedCopies copies, ShareSettings.Builder<byte[], byte[]> settings) {
        return new ShareRun(
                settings.build(),
                new GroupStart(List.of(FIRST, SECOND), group.config, Map.of(FIRST, 10L)),
                group,
                path,
                ready,
                counters,
                copies,
                configs::add,
                failure::complete,
                () -> troubles);
    }

    /** Takes measurements on this thread. */
    private static void measure(ShareRun run, int times) {
        for (int i = 0; i < times; i++) {
            run.measure();
        }
    }

    // ---- Measurements ----------------------------------------------------------------------------------------------

    @Test
    void plan_isAdaptedAtEachFifthMeasurement() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path);
        measure(run, 5);
        assertThat(path.followed).hasSize(1);
        measure(run, 6);
        assertThat(path.followed).hasSize(3).containsOnly(new Plan(1, 4, AcquireMode.RECORD_LIMIT));
    }

    /** Before the first record is finished, the plan may still grow. */
    @Test
    void planOfATunedPath_isAdaptedAtEachMeasurement_whileItGrows() {
        IdlePath path = new IdlePath();
        path.tuned = true;
        ShareRun run = run(path);
        measure(run, 2);
        assertThat(path.followed).hasSize(2);
        path.next = new Plan(1, 5, AcquireMode.RECORD_LIMIT);
        counters.settled.increment();
        measure(run, 1);
        assertThat(path.followed).hasSize(3);
        counters.settled.increment();
        measure(run, 1);
        assertThat(path.followed).as("it has grown").hasSize(4);
        counters.settled.increment();
        measure(run, 1);
        assertThat(path.followed).as("it has not grown").hasSize(4);
        assertThat(run.snapshot().pollRecords()).isEqualTo(5);
    }

    @Test
    void measurements_areAveragesSinceARecordWasFinished() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path);
        counters.polls.add(4);
        counters.pollNanos.add(2_000_000_000L);
        counters.rounds.add(2);
        counters.roundNanos.add(3_000_000_000L);
        counters.emptyPollNanos.add(TimeUnit.HOURS.toNanos(1));
        measure(run, 1);
        assertThat(path.look).isNotNull().satisfies(look -> {
            assertThat(look.settled()).isZero();
            assertThat(look.roundTripSeconds()).isEqualTo(0.5);
            assertThat(look.roundSeconds()).isEqualTo(1.5);
            assertThat(look.idleFetchShare()).isEqualTo(1);
            assertThat(look.starvedShare()).isZero();
            assertThat(look.lockSeconds()).isEqualTo(30);
            assertThat(look.locksPerPartition()).isEqualTo(2_000);
            assertThat(look.partitions()).isEqualTo(2);
            assertThat(look.seconds()).isPositive();
        });
        // No record was finished, so the next measurement includes this one.
        counters.settled.add(3);
        counters.polls.add(4);
        path.lockMillis = 1_500;
        measure(run, 5);
        assertThat(path.look).isNotNull().satisfies(look -> {
            assertThat(look.settled()).isEqualTo(3);
            assertThat(look.roundTripSeconds()).isEqualTo(0.25);
            assertThat(look.lockSeconds()).isEqualTo(1.5);
        });
        counters.settled.increment();
        measure(run, 5);
        assertThat(path.look).isNotNull().satisfies(look -> {
            assertThat(look.settled()).isEqualTo(1);
            assertThat(look.roundTripSeconds()).isZero();
        });
    }

    @Test
    void limit_isJudgedOnceRecordsAreFinished_orTheWindowOfLocksIsFull() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path);
        group.offsets.put(FIRST, FakeGroup.at(1, 9));
        group.offsets.put(SECOND, FakeGroup.at(1, 1));
        path.span = 1_799;
        measure(run, 6);
        assertThat(run.snapshot().limit().kind()).isEqualTo("arrival");
        path.span = 1_800;
        measure(run, 5);
        assertThat(run.snapshot().limit().kind()).isEqualTo("share-workers");
    }

    @Test
    void limitOfARunThatFinishesRecords_isJudged() {
        ShareRun run = run(new IdlePath());
        group.offsets.put(FIRST, FakeGroup.at(1, 9));
        group.offsets.put(SECOND, FakeGroup.at(1, 1));
        measure(run, 1);
        counters.settled.increment();
        measure(run, 5);
        assertThat(run.snapshot().limit().kind()).isEqualTo("share-workers");
    }

    // ---- The group -------------------------------------------------------------------------------------------------

    @Test
    void lag_isThatOfAllPartitions_ifItIsKnown() {
        ShareRun run = run(new IdlePath());
        assertThat(run.snapshot().lag()).isEqualTo(-1);
        group.offsets.put(FIRST, FakeGroup.at(1, 6));
        group.offsets.put(SECOND, FakeGroup.at(1, 4));
        measure(run, 1);
        assertThat(run.snapshot().lag()).isEqualTo(10);
        group.offsets.put(SECOND, FakeGroup.at(1, -1));
        measure(run, 19);
        assertThat(run.snapshot().lag()).as("each twentieth time").isEqualTo(10);
        measure(run, 1);
        assertThat(run.snapshot().lag()).as("of one it is unknown").isEqualTo(-1);
        group.offsets.put(SECOND, FakeGroup.at(1, 0));
        measure(run, 20);
        assertThat(run.snapshot().lag()).isEqualTo(6);
        group.offsets.remove(SECOND);
        measure(run, 20);
        assertThat(run.snapshot().lag()).as("one has not begun").isEqualTo(-1);
    }

    @Test
    void configurationOfTheGroup_isReadAgain() {
        ShareRun run = run(new IdlePath());
        measure(run, 20);
        assertThat(configs).hasSize(1);
        group.config = ShareClientStub.group(7, false);
        measure(run, 1);
        assertThat(configs).hasSize(2).last().isSameAs(group.config);
    }

    @Test
    void groupThatCannotBeRead_isReadLater() {
        ShareRun run = run(new IdlePath());
        group.failure = new IllegalStateException("planted");
        measure(run, 1);
        assertThat(configs).isEmpty();
        group.failure = null;
        measure(run, 20);
        assertThat(configs).hasSize(1);
        assertThat(failure).isNotDone();
    }

    @Test
    void boundedRead_stopsThePathAtItsEnd() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path, null, settings().untilEnd());
        group.offsets.put(FIRST, FakeGroup.at(9, 1));
        measure(run, 5);
        assertThat(path.stops).isZero();
        group.offsets.put(FIRST, FakeGroup.at(10, 0));
        measure(run, 1);
        assertThat(path.stops).isEqualTo(1);
    }

    @Test
    void readWithoutAnEnd_isNotStopped() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path);
        group.offsets.put(FIRST, FakeGroup.at(10, 0));
        measure(run, 6);
        assertThat(path.stops).isZero();
    }

    // ---- What a run shows ------------------------------------------------------------------------------------------

    @Test
    void snapshot_showsEachCounterUnderItsName() {
        counters.accepted.add(1);
        counters.released.add(2);
        counters.rejected.add(3);
        counters.renewed.add(4);
        counters.redelivered.add(5);
        counters.lockExpired.add(6);
        counters.failedAcknowledgements.add(7);
        counters.neverBegun.add(8);
        counters.parked.add(9);
        counters.emptiedAnswers.add(10);
        counters.acquired.add(100);
        counters.settled.add(20);
        counters.skipped.skip(FIRST, 3, 5, DroppedRecords.Reason.UNREADABLE);
        ready.put(List.of(record(0), record(1)));
        ShareHandle.Snapshot snapshot = run(new IdlePath()).snapshot();
        assertThat(List.of(
                        snapshot.accepted(),
                        snapshot.released(),
                        snapshot.rejected(),
                        snapshot.renewed(),
                        snapshot.redelivered(),
                        snapshot.lockExpired(),
                        snapshot.failedAcknowledgements(),
                        snapshot.neverBegun(),
                        snapshot.parked(),
                        snapshot.emptiedAnswers()))
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(snapshot.waiting()).isEqualTo(2);
        assertThat(snapshot.inHand()).isEqualTo(100 - 20 - 8 - 6 - 2);
        assertThat(snapshot.lanes()).isEqualTo(1);
        assertThat(snapshot.pollRecords()).isEqualTo(4);
        assertThat(snapshot.workers()).isEqualTo(4);
        assertThat(snapshot.acquireMode()).isEqualTo("record_limit");
        assertThat(snapshot.skipped()).hasSize(1);
        counters.settled.add(1_000);
        assertThat(run(new IdlePath()).snapshot().inHand()).isZero();
    }

    private static AcquiredRecord record(long offset) {
        return new AcquiredRecord(ShareClientStub.record(offset, 1), () -> 5, settled -> {});
    }

    @Test
    void end_saysHowManyRecordsWereReleased_andClosesTheQueries() {
        IdlePath path = new IdlePath();
        path.unfinished = 3;
        ShareRun run = run(path);
        assertThat(run.close(Duration.ZERO)).isEqualTo("3 records released to share group group");
        assertThat(group.closed).isTrue();
        counters.lost.add(1);
        assertThat(run(path).close(Duration.ZERO))
                .startsWith("3 records released to share group group; 1 records lost");
    }

    @Test
    void memberWhosePipelineIsStuck_saysSo() {
        IdlePath path = new IdlePath();
        path.joined = true;
        ShareRun run = run(path);
        assertThat(run.health().progressing()).isTrue();
        troubles = List.of("stuck", "slow");
        assertThat(run.health().progressing()).isFalse();
        assertThat(run.health().ready()).isTrue();
        assertThat(run.health().reason()).isEqualTo("stuck; slow");
    }

    // ---- Failures --------------------------------------------------------------------------------------------------

    /** An executor silently ends the schedule of a task that throws. */
    @Test
    void errorInALook_failsTheRun() throws Exception {
        AssertionError planted = new AssertionError("planted");
        ShareRun run = run(new IdlePath() {
            @Override
            public void follow(Plan plan) {
                throw planted;
            }
        });
        run.begin();
        assertThat(failure.get(50, TimeUnit.SECONDS)).isSameAs(planted);
        assertThat(run.close(Duration.ZERO)).isEmpty();
    }

    /** Regression: a bounded read never ended. */
    @Test
    void lookWhoseFailureCannotBeLogged_failsTheRun() throws Exception {
        ShareRun run = run(new IdlePath() {
            @Override
            public void follow(Plan plan) {
                throw new Unloggable();
            }
        });
        run.begin();
        assertThat(failure.get(50, TimeUnit.SECONDS)).hasMessage("not for the log");
        assertThat(run.close(Duration.ZERO)).isEmpty();
    }

    /** Throws a checked exception while it is logged, as a log backend might. */
    @SuppressWarnings("OverrideThrowableToString") // toString() itself must fail
    private static final class Unloggable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw Unloggable.<RuntimeException>unchecked(new IOException("not for the log"));
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // hides a checked exception from the compiler
        private static <X extends Throwable> X unchecked(Throwable thrown) throws X {
            throw (X) thrown;
        }
    }

    @Test
    void pathThatCannotBeClosed_leavesNothingElseOpen() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        ParkedCopies copies = new ParkedCopies(
                ParkedCopiesTest.writer(ParkedCopiesTest.deadLetters(), () -> producer), counters, Duration.ZERO);
        ShareRun run = run(
                new IdlePath() {
                    @Override
                    public int close(Duration patience) {
                        throw new IllegalStateException("planted");
                    }
                },
                copies);
        assertThatThrownBy(() -> run.close(Duration.ZERO)).hasMessage("planted");
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void end_saysWhatWentBackAndWhatIsLost() {
        ShareRun run = run(new IdlePath());
        counters.lost.add(2);
        assertThat(run.close(Duration.ZERO)).startsWith("2 records lost");
    }

    @Test
    void member_isReady_whileTheGroupHasGivenItPartitions() {
        IdlePath path = new IdlePath();
        ShareRun run = run(path);
        assertThat(run.health().ready()).isFalse();
        assertThat(run.health().live()).isTrue();
        assertThat(run.health().reason()).isEqualTo("share group group has assigned it no partitions");
        path.joined = true;
        assertThat(run.health().ready()).isTrue();
        assertThat(run.health().reason()).isEmpty();
    }

    /** A probe may read the handle after the end of the run. */
    @Test
    void member_isNeitherLiveNorReady_afterItsEnd() {
        IdlePath path = new IdlePath();
        path.joined = true;
        ShareRun run = run(path);
        run.close(Duration.ZERO);
        assertThat(run.health().live()).isFalse();
        assertThat(run.health().ready()).isFalse();
        assertThat(run.health().reason()).isEqualTo("the share group member has ended");
    }

    private static class IdlePath implements SharePath {

        private final List<Plan> followed = new ArrayList<>();
        private boolean joined;
        private boolean tuned;
        private int lockMillis;
        private int stops;
        private int unfinished;
        private long span;

        /** The next plan; null to keep the current one. */
        private @Nullable Plan next;

        private @Nullable Look look;

        @Override
        public Plan next(Plan now, Look measured, int workers) {
            look = measured;
            return next == null ? now : next;
        }

        @Override
        public boolean isTuned() {
            return tuned;
        }

        @Override
        public boolean isJoined() {
            return joined;
        }

        @Override
        public Plan first(int workers, int maxLanes) {
            return new Plan(1, workers, AcquireMode.RECORD_LIMIT);
        }

        @Override
        public void start(Plan plan) {}

        @Override
        public void follow(Plan plan) {
            followed.add(plan);
        }

        @Override
        public void stop() {
            stops++;
        }

        @Override
        public int close(Duration patience) {
            return unfinished;
        }

        @Override
        public int lanes() {
            return 1;
        }

        @Override
        public long widestSpan() {
            return span;
        }

        @Override
        public int lockMillis() {
            return lockMillis;
        }
    }
}
