package userland;

import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.time.Duration;

class Clicks {
    static long sum;

    public static void main(String[] args) {
        LeanSettings settings =
                LeanSettings.builder().bootstrapServers("localhost:9092").build();
        RecordHandler handler = record -> sum += record.value().getLong(0);
        try (LeanConsumer consumer = LeanConsumer.open(settings)) {
            int clicks = consumer.assign("clicks10m", 0, StartAt.beginning());
            for (int pass = 1; pass <= 5; pass++) {
                long start = System.nanoTime();
                while (consumer.position(clicks) < 10_000_000) {
                    if (consumer.poll(handler) == 0) {
                        consumer.await(Duration.ofMillis(100));
                    }
                }
                System.out.printf("pass %d: %.1f million/s%n", pass, 1e10 / (System.nanoTime() - start));
                consumer.seek(clicks, StartAt.beginning());
            }
        }
    }
}
