package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Position;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Which threads pay for being seen: processor time of each kind of thread a second, with or without those who look, in
 * the first five seconds after a million records and in ten seconds once warm. One arm in one JVM; the topic of {@link
 * SeeingCost} is read over and over by one pipeline. Linux only: it reads {@code /proc}, which knows the JVM's own
 * threads as well.
 *
 * <p>Run: {@code checks/seeing.sh threads}, or {@code java -cp checks/jmh/target/benchmarks.jar
 * dev.weir.checks.jmh.SeeingThreads localhost:9092 TOPIC RECORDS seen|nobody}. Prints {@code arm window thread
 * milliseconds-a-second}.
 */
public final class SeeingThreads {
    private static final long WARM = 1_000_000;
    private static final int TELL = 1 << 16;
    private static final int PARTITIONS = 6;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final String topic;
    private final long records;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch warm = new CountDownLatch(1);
    private final CompletableFuture<ConsumerHandle> consumer = new CompletableFuture<>();

    // Of the pipeline's thread, which tells others now and then.
    private long count;
    private volatile long told;
    private long bytes;

    private SeeingThreads(String topic, long records) {
        this.topic = topic;
        this.records = records;
    }

    /** As the class says. */
    public static void main(String[] args) throws Exception {
        new SeeingThreads(args[1], Long.parseLong(args[2])).run(args[0], args[3]);
    }

    private void run(String bootstrap, String arm) throws Exception {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(bootstrap)
                .groupId("seeing-threads-" + ProcessHandle.current().pid())
                .property("auto.offset.reset", "earliest")
                .build();
        try (RunningPipeline running = KafkaSource.atLeastOnce(settings, topic)
                .to(Sink.forEach(this::handle))
                .named("seen")
                .run()) {
            consumer.complete(running.handles(ConsumerHandle.class).getFirst());
            if (arm.equals("seen")) {
                try (Spectators spectators = Spectators.of(running, false)) {
                    measure(arm);
                    spectators.check();
                }
            } else {
                measure(arm);
            }
            running.cancel();
        }
    }

    private void measure(String arm) throws InterruptedException {
        ready.countDown();
        warm.await();
        window(arm, "first 5 s", 5);
        TimeUnit.SECONDS.sleep(10);
        window(arm, "once warm", 10);
    }

    private void window(String arm, String name, int seconds) throws InterruptedException {
        ThreadTimes before = ThreadTimes.now();
        long processBefore = SYSTEM.getProcessCpuTime();
        long recordsBefore = told;
        long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        double took = (System.nanoTime() - start) / 1e9;
        print(arm, name, "(million records)", (told - recordsBefore) / 1e6 / took);
        print(arm, name, "(process)", (SYSTEM.getProcessCpuTime() - processBefore) / 1e6 / took);
        ThreadTimes.now().since(before).forEach((kind, nanos) -> print(arm, name, kind, nanos / 1e6 / took));
    }

    private static void print(String arm, String window, String kind, double figure) {
        System.out.printf(Locale.ROOT, "%s\t%s\t%s\t%.2f%n", arm, window, kind, figure);
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        if (count == 0) {
            try {
                ready.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("ended before its time", e);
            }
        }
        bytes += record.value().length;
        count++;
        if (count == WARM) {
            warm.countDown();
        }
        if (count % TELL == 0) {
            told = count;
        }
        if (count % records == 0) {
            again();
        }
    }

    private void again() {
        Map<TopicPartition, Position> starts = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            starts.put(new TopicPartition(topic, partition), Position.beginning());
        }
        var ignored = consumer.join().seek(starts);
    }

    @Override
    public String toString() {
        return count + " records, " + bytes + " bytes";
    }
}
