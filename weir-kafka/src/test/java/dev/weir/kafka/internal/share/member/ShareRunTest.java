package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.internal.share.group.GroupAdmin;
import dev.weir.kafka.internal.share.group.GroupStart;
import dev.weir.stream.spi.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShareRunTest {

    private final ShareCounters counters = new ShareCounters();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    private ShareRun run(SharePath path) {
        return run(path, null);
    }

    private ShareRun run(SharePath path, @Nullable ParkedCopies copies) {
        var settings = ShareSettings.builder()
                .bootstrapServers("localhost:1")
                .groupId("group")
                .build();
        return new ShareRun(
                settings,
                new GroupStart(List.of(new TopicPartition("orders", 0)), ShareClientStub.group(5, true), Map.of()),
                new GroupAdmin(settings),
                path,
                new ReadyRecords(Clock.SYSTEM),
                counters,
                copies,
                config -> {},
                failure::complete,
                List::of);
    }

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

        private boolean joined;

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
        public void follow(Plan plan) {}

        @Override
        public void stop() {}

        @Override
        public int close(Duration patience) {
            return 0;
        }

        @Override
        public int lanes() {
            return 1;
        }

        @Override
        public long widestSpan() {
            return 0;
        }

        @Override
        public int lockMillis() {
            return 0;
        }
    }
}
