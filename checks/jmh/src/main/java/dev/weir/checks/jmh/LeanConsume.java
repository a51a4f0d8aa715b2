package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a topic completely with several consumers in turn, in several rounds. Prints the rate, CPU time and allocation
 * of each consumer, and the median of its ratios to the plain client. Each consumer adds up the first eight bytes of
 * each value. Warm-up rounds are not counted.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanConsume localhost:9092 TOPIC ROUNDS
 * [bare,lean,plain,tuned]}. The time ends with the last record, because the official consumer takes up to 500 ms to
 * close. The CPU time covers the whole process, including the JIT compilers, the garbage collector and the close.
 */
public final class LeanConsume {

    private static final int WARM_UP = 2;
    private static final int MEGABYTE = 1024 * 1024;
    private static final String BASELINE = "plain";

    private final String bootstrap;
    private final Map<TopicPartition, Long> ends = new LinkedHashMap<>();
    private long sum;
    private long lastRecordNanos;

    private LeanConsume(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Takes the bootstrap address, the topic, the number of counted rounds and, optionally, the consumers. */
    public static void main(String[] args) throws Exception {
        new LeanConsume(args[0])
                .compare(
                        args[1],
                        Integer.parseInt(args[2]),
                        List.of((args.length > 3 ? args[3] : "bare,lean,plain,tuned").split(",")));
    }

    private record Result(double perSecond, double cpuPerMillion, double bytesPerRecord) {}

    private void compare(String topic, int rounds, List<String> who) throws Exception {
        findEnds(topic);
        Map<String, List<Result>> results = new LinkedHashMap<>();
        who.forEach(each -> results.put(each, new ArrayList<>()));
        for (int round = -WARM_UP; round < rounds; round++) {
            for (int i = 0; i < who.size(); i++) {
                // Each round begins with a different consumer.
                String each = who.get(Math.floorMod(i + round, who.size()));
                Result result = measure(each);
                if (round >= 0) {
                    results.getOrDefault(each, List.of()).add(result);
                }
            }
        }
        System.out.println("| consumer | million/s, median (least to greatest) | times " + BASELINE
                + " | CPU s per million | B per record |\n|---|---|--:|--:|--:|");
        results.forEach((name, all) -> System.out.println(row(name, all, results.getOrDefault(BASELINE, all))));
        System.out.println("sum " + sum);
    }

    private static String row(String name, List<Result> all, List<Result> baseline) {
        double[] rates = all.stream().mapToDouble(Result::perSecond).sorted().toArray();
        double[] ratios = IntStream.range(0, all.size())
                .mapToDouble(i -> all.get(i).perSecond() / baseline.get(i).perSecond())
                .sorted()
                .toArray();
        return String.format(
                Locale.ROOT,
                "| %s | %.1f (%.1f to %.1f) | %.2f | %.4f | %.2f |",
                name,
                rates[rates.length / 2] / 1e6,
                rates[0] / 1e6,
                rates[rates.length - 1] / 1e6,
                ratios[ratios.length / 2],
                median(all.stream().mapToDouble(Result::cpuPerMillion).toArray()),
                median(all.stream().mapToDouble(Result::bytesPerRecord).toArray()));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private void findEnds(String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
            admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .values()
                    .forEach(found -> found.partitions()
                            .forEach(each ->
                                    wanted.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest())));
            admin.listOffsets(wanted).all().get().entrySet().stream()
                    .sorted(Comparator.comparingInt(each -> each.getKey().partition()))
                    .forEach(each -> ends.put(each.getKey(), each.getValue().offset()));
        }
    }

    private Result measure(String who) throws IOException {
        long total = ends.values().stream().mapToLong(Long::longValue).sum();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long bytes = threads.getTotalThreadAllocatedBytes();
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        long count = switch (who) {
            case "bare" -> bare();
            case "lean" -> lean();
            case "plain" -> official(Map.of());
            default ->
                official(Map.of(
                        "max.poll.records",
                        5_000,
                        "max.partition.fetch.bytes",
                        8 * MEGABYTE,
                        "receive.buffer.bytes",
                        MEGABYTE));
        };
        double seconds = (lastRecordNanos - start) / 1e9;
        if (count < total) {
            throw new IllegalStateException(who + " read " + count + " of " + total);
        }
        return new Result(
                count / seconds,
                (system.getProcessCpuTime() - cpu) / 1e9 / (count / 1e6),
                (double) (threads.getTotalThreadAllocatedBytes() - bytes) / count);
    }

    private long bare() throws IOException {
        BareLoop loop = new BareLoop(bootstrap, ends);
        long count = loop.run();
        lastRecordNanos = System.nanoTime();
        sum += loop.sum();
        return count;
    }

    private long lean() {
        long[] count = {0};
        try (LeanConsumer consumer = LeanConsumer.open(
                LeanSettings.builder().bootstrapServers(bootstrap).build())) {
            int[] indexes = ends.keySet().stream()
                    .mapToInt(each -> consumer.assign(each.topic(), each.partition(), StartAt.beginning()))
                    .toArray();
            long[] goals = ends.values().stream().mapToLong(Long::longValue).toArray();
            int done = 0;
            while (done < indexes.length) {
                if (consumer.poll(record -> {
                            sum += record.value().getLong(0);
                            count[0]++;
                        })
                        == 0) {
                    consumer.await(Duration.ofMillis(100));
                }
                while (done < indexes.length && consumer.position(indexes[done]) >= goals[done]) {
                    done++;
                }
            }
            lastRecordNanos = System.nanoTime();
        }
        return count[0];
    }

    private long official(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
        config.putAll(more);
        long total = ends.values().stream().mapToLong(Long::longValue).sum();
        long count = 0;
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            while (count < total) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    sum += firstLong(record.value());
                    count++;
                }
            }
            lastRecordNanos = System.nanoTime();
        }
        return count;
    }

    private static long firstLong(byte[] bytes) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = (value << Byte.SIZE) | (bytes[i] & 0xff);
        }
        return value;
    }
}
