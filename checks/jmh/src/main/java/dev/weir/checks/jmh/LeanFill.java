package dev.weir.checks.jmh;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Creates and fills a topic for {@link LeanConsume}, in batches of 128 kB.
 *
 * <p>Run: {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanFill localhost:9092 TOPIC PARTITIONS
 * RECORDS VALUE_BYTES [CODEC [varied]]}
 *
 * <p>By default, 1,009 values are written in turn, which compress to almost nothing. With {@code varied}, all values
 * differ, and are half words and half digits, so they compress like real events.
 */
public final class LeanFill {

    private static final int WORD = 8;

    private LeanFill() {}

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        int partitions = Integer.parseInt(args[2]);
        int count = Integer.parseInt(args[3]);
        int size = Integer.parseInt(args[4]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
            admin.createTopics(List.of(new NewTopic(args[1], partitions, (short) 1)))
                    .all()
                    .get();
        }
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                args[0],
                "batch.size",
                128 * 1024,
                "linger.ms",
                50,
                "buffer.memory",
                64L * 1024 * 1024,
                "compression.type",
                args.length > 5 ? args[5] : "none"));
        IntFunction<byte[]> values = args.length > 6 ? varied(size) : repeated(size);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                var ignored = producer.send(new ProducerRecord<>(args[1], i % partitions, null, values.apply(i)));
            }
        }
    }

    private static IntFunction<byte[]> repeated(int size) {
        Random random = new Random(1);
        byte[][] values = new byte[1_009][size];
        for (byte[] value : values) {
            for (int at = 0; at < size; at++) {
                value[at] = (byte) random.nextInt(at % 2 == 0 ? 2 : 64);
            }
        }
        return i -> values[i % values.length];
    }

    private static IntFunction<byte[]> varied(int size) {
        Random random = new Random(1);
        byte[][] words = new byte[256][WORD];
        for (byte[] word : words) {
            for (int at = 0; at < WORD; at++) {
                word[at] = (byte) ('a' + random.nextInt(26));
            }
        }
        SplittableRandom each = new SplittableRandom(1);
        return i -> {
            byte[] value = new byte[size];
            for (int at = 0; at < size; at += 2 * WORD) {
                System.arraycopy(words[each.nextInt(words.length)], 0, value, at, Math.min(WORD, size - at));
                for (int digit = at + WORD; digit < Math.min(size, at + 2 * WORD); digit++) {
                    value[digit] = (byte) ('0' + each.nextInt(10));
                }
            }
            return value;
        };
    }
}
