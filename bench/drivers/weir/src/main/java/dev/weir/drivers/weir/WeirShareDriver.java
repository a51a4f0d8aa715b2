package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Runs one member of a share group with {@code KafkaFlow.shared}. Only the number of workers differs from the defaults.
 * Confined to the main thread; the pipeline has its own threads.
 */
final class WeirShareDriver implements Driver {
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final FetchPath fetch;

    WeirShareDriver(FetchPath fetch) {
        this.fetch = fetch;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.WORK);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.TOPICS);
    }

    @Override
    public GroupType groupType() {
        return GroupType.SHARE;
    }

    @Override
    public void run(Pass pass) throws Exception {
        ShareSettings.Builder<byte[], byte[]> settings = ShareSettings.builder().fetch(fetch);
        pass.clientConfig().share(Map.of()).forEach(settings::property);
        try (RunningPipeline run = KafkaFlow.shared(
                        settings.build(), pass.topics().names().toArray(String[]::new))
                .forEach(pass.options().concurrency(), Ordering.unordered(), record -> handle(record, pass))
                .run()) {
            pass.failsWith(run.completion());
            pass.awaitDone();
            run.handles(ShareHandle.class).forEach(handle -> tell(handle.snapshot(), pass));
            run.drain(DRAIN);
        }
    }

    private static void handle(ConsumerRecord<byte[], byte[]> record, Pass pass) {
        pass.work().on(record.value());
        pass.deliveredConcurrently(
                pass.topics().number(record.topic(), record.partition()), record.key(), record.value());
    }

    /** Adds metrics that explain the measured rate to the results, and logs a sentence on what limits the rate. */
    private static void tell(ShareHandle.Snapshot at, Pass pass) {
        pass.figure("share: lanes", at.lanes());
        pass.figure("share: records per poll", at.pollRecords());
        pass.figure("share: waiting", at.waiting());
        pass.figure("share: redelivered", (double) at.redelivered());
        pass.figure("share: locks expired", (double) at.lockExpired());
        pass.figure("share: failed acknowledgements", (double) at.failedAcknowledgements());
        System.err.println("share: " + at.limit().kind() + ": " + at.limit().sentence() + "; what lifts it: "
                + at.limit().advice());
    }
}
