package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Processes images with a nearly full heap, so that the garbage collector works more than the program. */
final class StarvedImages {

    private static final int CACHED = 220_000;
    /** The number of newest images to keep. Each reaches the old generation of the heap. */
    private static final int RECENT = 40;

    private static final int TILES = 12;
    private static final int TILE_BYTES = 64 * 1024;

    private StarvedImages() {}

    /**
     * Takes the brokers, the topic and the group. Prints the limiter's text as soon as the limiter is the garbage
     * collector.
     */
    public static void main(String[] args) throws InterruptedException {
        Map<Integer, byte[]> cache = new HashMap<>();
        for (int i = 0; i < CACHED; i++) {
            cache.put(i, new byte[32]);
        }
        byte[][] recent = new byte[RECENT][];
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[1])
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, args[1])
                        .atLeastOnce()
                        .map(record -> thumbnail(record, cache, recent))
                        .named("thumbnail")
                        .to(Sink.ignore())
                        .run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            System.out.println(
                    PlantedByAStrangerTest.awaitLimiter(running, probe, Kind.GC).sentence());
            running.cancel();
        }
    }

    private static int thumbnail(ConsumerRecord<byte[], byte[]> record, Map<Integer, byte[]> cache, byte[][] recent) {
        int sum = cache.size();
        for (int i = 0; i < TILES; i++) {
            byte[] tile = new byte[TILE_BYTES];
            tile[i] = record.value()[0];
            recent[(int) ((record.offset() * TILES + i) % RECENT)] = tile;
            sum += tile[i];
        }
        return sum;
    }
}
