package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures one member of a share group with a backlog, from the start of its process. Prints the share of busy workers
 * every second, and the cost per record. All settings except the number of workers are defaults.
 *
 * <p>Run: {@code checks/jmh/share.sh}. The script runs {@code ShareRuns ADDRESS TOPIC fill RECORDS}, and {@code
 * ShareRuns ADDRESS TOPIC lean|client|official|none GROUP SECONDS WORKERS MILLIS[:exponential|bimodal|stragglers]
 * BROKER-PID [NAME]}; {@code official} measures the official client without Weir ({@link OfficialShare}), and {@code
 * none} measures the handlers without Kafka. Prints a line to standard error every second, and a table row at the end,
 * which covers the time from second 10, or from {@code -Dfrom=SECOND}.
 */
public final class ShareRuns {

    private static final int PARTITIONS = 6;
    private static final int VALUE_BYTES = 100;
    private static final int BATCH_BYTES = 16_384;

    /** The time limit for reaching full speed. */
    private static final int SPEED_SECONDS = 10;

    /** The first second of the table row. */
    private static final int FROM_SECOND = Integer.getInteger("from", SPEED_SECONDS);

    private static final double UP_TO_SPEED = 0.98;
    private static final double NANOS = 1e9;

    private final long startedMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final LongAdder calls = new LongAdder();
    private final LongAdder busyNanos = new LongAdder();
    private final String address;
    private final String topic;
    private final String path;
    private final String group;
    private final int seconds;
    private final int workers;
    private final double millis;
    private final String spread;
    private final long brokerPid;
    private final String name;

    private ShareRuns(String[] args) {
        this.address = args[0];
        this.topic = args[1];
        this.path = args[2];
        this.group = args[3];
        this.seconds = Integer.parseInt(args[4]);
        this.workers = Integer.parseInt(args[5]);
        String[] handler = args[6].split(":", 2);
        this.millis = Double.parseDouble(handler[0]);
        this.spread = handler.length == 1 ? "none" : handler[1];
        this.brokerPid = Long.parseLong(args[7]);
        this.name = args.length > 8 ? args[8] : "";
    }

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        if (args[2].equals("fill")) {
            fill(args[0], args[1], Long.parseLong(args[3]));
        } else {
            new ShareRuns(args).run();
        }
    }

    private static void fill(String address, String topic, long records) throws Exception {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", address, "batch.size", BATCH_BYTES, "linger.ms", 20, "buffer.memory", 64 << 20);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < records; i++) {
                var ignored =
                        producer.send(new ProducerRecord<>(topic, (int) (i % PARTITIONS), null, new byte[VALUE_BYTES]));
            }
        }
    }

    private void run() throws Exception {
        if (path.equals("official")) {
            OfficialShare share = OfficialShare.start(address, topic, PARTITIONS, group, workers, this::handle);
            try {
                watch(List::of);
            } finally {
                share.close();
            }
            return;
        }
        try (RunningPipeline running = path.equals("none") ? withoutKafka() : member()) {
            watch(() -> running.handles(ShareHandle.class));
            running.drain(Duration.ofSeconds(20));
        }
    }

    private void watch(Supplier<List<ShareHandle>> handles) throws InterruptedException {
        Moment before = moment();
        Moment begin = before;
        int speedAt = -1;
        int fast = 0;
        for (int second = second() + 1; second <= seconds; second++) {
            awaitSecond(second);
            Moment now = moment();
            double busy = now.busySince(before);
            System.err.printf(
                    Locale.ROOT,
                    "%2d s %7.0f records/s, %5.1f %% busy, %5.1f us/record%s%n",
                    second,
                    now.rateSince(before),
                    busy,
                    now.clientMicrosSince(before),
                    asked(handles.get()));
            // A single second could be chance, so three consecutive ones are required. The first is reported.
            fast = busy >= 100 * UP_TO_SPEED ? fast + 1 : 0;
            if (fast == 3 && speedAt < 0) {
                speedAt = second - 2;
            }
            if (second == Math.min(FROM_SECOND, seconds / 2)) {
                begin = now;
            }
            before = now;
        }
        print(begin, before, speedAt, handles.get());
    }

    private static String asked(List<ShareHandle> handles) {
        if (handles.isEmpty()) {
            return "";
        }
        ShareHandle.Snapshot at = handles.getFirst().snapshot();
        return String.format(Locale.ROOT, ", %d at once, %s", at.pollRecords(), at.acquireMode());
    }

    private RunningPipeline member() {
        var settings = ShareSettings.builder()
                .bootstrapServers(address)
                .groupId(group)
                .startAt(ShareSettings.Start.EARLIEST)
                .fetch(path.equals("lean") ? FetchPath.LEAN : FetchPath.CLIENT);
        return KafkaFlow.shared((name.isEmpty() ? settings : settings.memberName(name)).build(), topic)
                .forEach(workers, Ordering.unordered(), record -> handle())
                .run();
    }

    private RunningPipeline withoutKafka() {
        return Source.from(() -> LongStream.range(0, Long.MAX_VALUE).boxed().iterator())
                .mapBlocking(workers, Ordering.unordered(), element -> {
                    handle();
                    return element;
                })
                .to(Sink.ignore())
                .run();
    }

    private void handle() {
        long begun = System.nanoTime();
        long end = begun + (long) (millis * factor() * 1e6);
        for (long left = end - begun; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        busyNanos.add(System.nanoTime() - begun);
        calls.increment();
    }

    /** Returns a random factor for the next handler's duration, with a mean of 1 and the distribution of the bench. */
    private double factor() {
        double drawn = ThreadLocalRandom.current().nextDouble();
        return switch (spread) {
            case "none" -> 1;
            case "exponential" -> -Math.log1p(-drawn);
            case "bimodal" -> drawn < 0.01 ? 50.5 : 0.5;
            case "stragglers" -> drawn < 1e-4 ? 400 : 0.96;
            default -> throw new IllegalArgumentException(spread);
        };
    }

    private int second() {
        return (int) ((System.currentTimeMillis() - startedMillis) / 1000);
    }

    private void awaitSecond(int second) throws InterruptedException {
        long left;
        while ((left = startedMillis + second * 1000L - System.currentTimeMillis()) > 0) {
            Thread.sleep(left);
        }
    }

    /** @param nanos the total duration of all ended calls */
    private record Moment(long atNanos, long calls, long nanos, long clientNanos, long brokerNanos, int workers) {

        double rateSince(Moment before) {
            return (calls - before.calls) * NANOS / (atNanos - before.atNanos);
        }

        double clientMicrosSince(Moment before) {
            return (clientNanos - before.clientNanos) / 1e3 / Math.max(1, calls - before.calls);
        }

        /** Returns the percentage of time that workers have spent in handlers since {@code before}. */
        double busySince(Moment before) {
            return 100.0 * (nanos - before.nanos) / workers / (atNanos - before.atNanos);
        }
    }

    private Moment moment() {
        long broker = ProcessHandle.of(brokerPid)
                .flatMap(each -> each.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
        return new Moment(System.nanoTime(), calls.sum(), busyNanos.sum(), system.getProcessCpuTime(), broker, workers);
    }

    private void print(Moment begin, Moment end, int speedAt, List<ShareHandle> handles) {
        double records = Math.max(1, end.calls - begin.calls);
        double mean = (end.nanos - begin.nanos) / records / 1e6;
        String seen = "";
        if (!handles.isEmpty()) {
            ShareHandle.Snapshot at = handles.getFirst().snapshot();
            seen = String.format(
                    Locale.ROOT,
                    "%d | %s: %s",
                    at.redelivered(),
                    at.limit().kind(),
                    at.limit().sentence()
                            + (at.limit().kind().equals("share-window")
                                    ? ": " + at.limit().advice()
                                    : ""));
        }
        System.out.printf(
                Locale.ROOT,
                "| %s %s | %d | %.2f | %,.0f | %,.0f | %.1f | %s | %.1f | %.1f | %s |%n",
                path + (name.isEmpty() ? "" : " named"),
                spread.equals("none") ? String.format(Locale.ROOT, "%.0f ms", millis) : spread,
                workers,
                mean,
                end.rateSince(begin),
                workers * 1000 / mean,
                end.busySince(begin),
                speedAt < 0 ? "never" : Integer.toString(speedAt),
                (end.clientNanos - begin.clientNanos) / records / 1e3,
                (end.brokerNanos - begin.brokerNanos) / records / 1e3,
                seen);
    }
}
