package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import net.openhft.affinity.Affinity;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the faults, stops, processors and refused calls of several lean threads. */
@Timeout(120)
class LeanThreadsTest {

    private static final Uuid ANOTHER_ID = Uuid.randomUuid();

    private static LeanSettings settings(FakeBroker broker) throws Exception {
        return LeanSettings.builder().bootstrapServers(broker.address()).build();
    }

    private static FakeBroker broker() throws Exception {
        FakeLog log = new FakeLog();
        return new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
    }

    @Test
    void handlerThatThrows_endsAllThreads_andIsTheFailure() throws Exception {
        try (FakeBroker broker = broker()) {
            IllegalStateException failure = new IllegalStateException("planned");
            try (LeanThreads threads = LeanThreads.builder(settings(broker))
                    .topic(FakeBroker.TOPIC, StartAt.beginning())
                    .threads(3)
                    .records(thread -> record -> {
                        throw failure;
                    })
                    .start()) {
                assertThatThrownBy(
                                () -> threads.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .hasCause(failure);
                assertThat(threads.owners()).isEmpty();
            }
        }
    }

    @Test
    void close_endsThreadsThatHaveNothingToRead() throws Exception {
        try (FakeBroker broker = broker()) {
            LeanThreads threads = LeanThreads.builder(settings(broker))
                    .topic("missing", StartAt.beginning())
                    .threads(4)
                    .batches(thread -> batch -> {})
                    .start();
            threads.close();
            assertThat(threads.completion().toCompletableFuture()).isCompleted();
        }
    }

    @Test
    void handlersThatClose_endAll_afterTheRecordThatEachIsAt() throws Exception {
        try (FakeBroker broker = broker()) {
            AtomicReference<LeanThreads> threads = new AtomicReference<>();
            CountDownLatch started = new CountDownLatch(1);
            AtomicInteger records = new AtomicInteger();
            threads.set(LeanThreads.builder(settings(broker))
                    .topic(FakeBroker.TOPIC, StartAt.beginning())
                    .threads(2)
                    .records(thread -> record -> {
                        await(started);
                        records.incrementAndGet();
                        threads.get().close();
                    })
                    .start());
            started.countDown();
            threads.get().completion().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(records).hasValue(1);
        }
    }

    @Test
    void interruptOfAHandler_endsAll_andIsNamed() throws Exception {
        try (FakeBroker broker = broker();
                LeanThreads threads = LeanThreads.builder(settings(broker))
                        .topic(FakeBroker.TOPIC, StartAt.beginning())
                        .records(thread -> record -> Thread.currentThread().interrupt())
                        .start()) {
            assertThatThrownBy(() -> threads.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("interrupted");
        }
    }

    @Test
    void topicRecreated_beforeAPartitionIsTaken_isReadFromItsBeginningByTheNextThread() throws Exception {
        FakeLog log = new FakeLog();
        AtomicReference<FakeBroker> made = new AtomicReference<>();
        Queue<Long> first = new ConcurrentLinkedQueue<>();
        Queue<Long> second = new ConcurrentLinkedQueue<>();
        CountDownLatch readAgain = new CountDownLatch(FakeLog.END);
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
            made.get().topicId(ANOTHER_ID); // The first thread has the old id. The second has not asked yet.
            return log.serveAll(request);
        })) {
            made.set(broker);
            broker.partitions(2);
            LeanSettings settings = LeanSettings.builder()
                    .bootstrapServers(broker.address())
                    .onOffsetLost(OffsetLostPolicy.BEGINNING)
                    .build();
            try (LeanThreads threads = LeanThreads.builder(settings)
                    .topic(FakeBroker.TOPIC, StartAt.beginning())
                    .threads(2)
                    .records(thread -> record -> {
                        (thread == 0 ? first : second).add(record.offset());
                        if (thread == 1) {
                            readAgain.countDown();
                        }
                    })
                    .start()) {
                await(readAgain);
                assertThat(threads.completion().toCompletableFuture()).isNotDone();
                assertThat(second)
                        .containsExactlyElementsOf(
                                LongStream.range(0, FakeLog.END).boxed().toList());
                assertThat(first).as("read before, of both").hasSize(2 * FakeLog.END);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void cpus_bindEachThread() throws Exception {
        Path status = Path.of("/proc/thread-self/status");
        assumeThat(status).exists();
        int cpu = Affinity.getAffinity().nextSetBit(0); // This process may not be allowed to use CPU 0.
        Queue<String> bound = new ConcurrentLinkedQueue<>();
        try (FakeBroker broker = broker()) {
            try (LeanThreads threads = LeanThreads.builder(settings(broker))
                    .topic(FakeBroker.TOPIC, StartAt.beginning())
                    .threads(1)
                    .cpus(cpu)
                    .records(thread -> record -> {
                        try {
                            Files.readAllLines(status).stream()
                                    .filter(line -> line.startsWith("Cpus_allowed_list"))
                                    .forEach(bound::add);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        throw new IllegalStateException("seen");
                    })
                    .start()) {
                assertThatThrownBy(
                                () -> threads.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .hasMessageContaining("seen");
            }
        }
        assertThat(bound).containsExactly("Cpus_allowed_list:\t" + cpu);
    }

    @Test
    void wrongNumbers_areRefusedByName() {
        LeanThreads.Builder builder = LeanThreads.builder(
                LeanSettings.builder().bootstrapServers("localhost:1").build());

        assertThatIllegalStateException().isThrownBy(builder::start).withMessageContaining("topic(...)");
        builder.topic("clicks", StartAt.beginning());
        assertThatIllegalStateException().isThrownBy(builder::start).withMessageContaining("records(...)");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        builder.records(thread -> record -> {}).cpus(0, 1, 2).start())
                .withMessageContaining("threads=2 cpus=[0, 1, 2]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.threads(0))
                .withMessageContaining("threads=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.topic("clicks", StartAt.offset(5)))
                .withMessageContaining("topic=clicks offset=5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.topic("clicks", StartAt.end()))
                .withMessageContaining("topic=clicks");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.cpus(2, 2))
                .withMessageContaining("cpus=[2, 2]");
    }
}
