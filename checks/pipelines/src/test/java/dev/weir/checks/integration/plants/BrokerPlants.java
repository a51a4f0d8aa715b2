package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Plant.Occupancy;
import dev.weir.checks.integration.plants.Work.Means;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Sink;
import dev.weir.testkit.FaultProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Plants whose limiter is between the pipeline and a broker. */
final class BrokerPlants {

    private final Shapes shapes;
    private final Bed bed;
    private final FetchPath path;

    private BrokerPlants(Random random, Bed bed) {
        this.shapes = new Shapes(random);
        this.bed = bed;
        this.path = shapes.oneOf(List.of(FetchPath.values()));
    }

    static Plant draw(PlantKind kind, Random random, Bed bed) {
        BrokerPlants plants = new BrokerPlants(random, bed);
        return switch (kind) {
            case WINDOW -> plants.window();
            case BYTES -> plants.bytes();
            case DECODER -> plants.decoder();
            case QUOTA -> plants.quota();
            case ACKS -> plants.acks();
            case LINGER -> plants.linger();
            case COMMIT -> plants.commit();
            case PARTITION -> plants.partition();
            case RETRIES -> plants.retries();
            default -> throw new IllegalArgumentException(kind + " is planted elsewhere");
        };
    }

    private Plant window() {
        int window = shapes.between(2, 16);
        int workers = window * Bed.PARTITIONS * shapes.between(3, 5);
        Work work = new Work(Means.PARK, shapes.time(10, 60));
        return new Plant(
                PlantKind.WINDOW,
                "maxOutstandingRecords " + window + " under " + workers + " workers of " + work.time.toMillis()
                        + " ms, " + path,
                Truth.of(Kind.WINDOW),
                Occupancy.low(work, workers),
                plant -> tuning -> {
                    int used = (int) Math.ceil(tuning.removed() ? 1000 : window * tuning.widened());
                    var settings = bed.settings(path)
                            .maxOutstandingRecords(used)
                            .property("max.poll.records", "" + used)
                            .build();
                    return KafkaSource.from(settings, bed.even())
                            .atLeastOnce()
                            .mapBlocking(workers, Ordering.unordered(), work::call)
                            .named(shapes.subject)
                            .to(Sink.forEach(plant::done));
                });
    }

    private Plant bytes() {
        int kilobytes = shapes.oneOf(List.of(40, 80));
        int workers = 6 * 1024 / kilobytes;
        Work work = new Work(Means.PARK, shapes.time(80, 160));
        return new Plant(
                PlantKind.BYTES,
                "bufferBytes of 1 MB under " + workers + " workers of " + work.time.toMillis() + " ms, records of "
                        + kilobytes + " KB, " + path,
                Truth.of(Kind.BYTE_BUDGET).near(Kind.SOURCE_FETCH),
                Occupancy.low(work, workers),
                plant -> tuning -> {
                    var settings = bed.settings(path)
                            .bufferBytes((long) (1024 * 1024 * (tuning.removed() ? 64 : tuning.widened())))
                            .property("max.poll.records", "5")
                            .property("max.partition.fetch.bytes", "" + 2 * kilobytes * 1024)
                            .build();
                    return KafkaSource.from(settings, bed.large(kilobytes))
                            .atLeastOnce()
                            .mapBlocking(workers, Ordering.unordered(), work::call)
                            .named(shapes.subject)
                            .to(Sink.forEach(plant::done));
                });
    }

    private Plant decoder() {
        Work work = shapes.random.nextBoolean()
                ? new Work(Means.COMPUTE, shapes.time(0.3, 2))
                : new Work(Means.PARK, shapes.time(1, 10));
        boolean inView = path == FetchPath.LEAN && shapes.random.nextInt(3) == 0;
        Truth truth = StagePlants.truth(work, 1, "consume", "decode", "atLeastOnce");
        return new Plant(
                PlantKind.DECODER,
                "decoder, " + work.means + " " + work.time.toNanos() / 1000 + " us, " + (inView ? "of a view, " : "")
                        + path,
                truth.orNamed("source-decode").near(Kind.SOURCE_FETCH),
                Occupancy.full(work, 1),
                plant -> tuning -> {
                    ConsumerSettings<byte[], byte[]> raw = bed.settings(path).build();
                    if (inView) {
                        return KafkaSource.from(raw, bed.even())
                                .decodedBy(view -> tuning.removed() ? view.offset() : work.call(view.offset()))
                                .atLeastOnce()
                                .to(Sink.forEach(plant::done));
                    }
                    ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder(
                                    new ByteArrayDeserializer(),
                                    (String topic, byte[] data) -> tuning.removed() ? data : work.call(data))
                            .bootstrapServers(bed.cluster().bootstrapServers())
                            .groupId(raw.groupId())
                            .fetch(path)
                            .build();
                    return KafkaSource.from(settings, bed.even()).atLeastOnce().to(Sink.forEach(plant::done));
                });
    }

    private Plant quota() {
        int rate = shapes.between(20, 200) * 1000;
        String client = bed.fresh("copier");
        limit(client, rate);
        return producing(
                PlantKind.QUOTA,
                "a quota of " + rate + " B/s for the output",
                Truth.of(Kind.OUTPUT_BROKER),
                tuning -> Map.of(
                        "client.id",
                        tuning.removed() ? client + "-free" : client,
                        // A small buffer fills up before the trial reads the limiter.
                        "buffer.memory",
                        "65536",
                        "batch.size",
                        "16384"),
                bed.cluster().bootstrapServers());
    }

    private void limit(String client, double bytesPerSecond) {
        try {
            bed.cluster()
                    .admin()
                    .alterClientQuotas(List.of(new ClientQuotaAlteration(
                            new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, client)),
                            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", bytesPerSecond)))))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Plant acks() {
        int millis = shapes.between(10, 40);
        FaultProxy distance = proxy(Duration.ofMillis(millis));
        Plant plant = producing(
                PlantKind.ACKS,
                "output brokers " + millis + " ms away, one small request at a time",
                Truth.of(Kind.OUTPUT_BROKER).or(Kind.PRODUCER),
                tuning -> Map.of(
                        "max.in.flight.requests.per.connection", "1",
                        "buffer.memory", "65536",
                        "batch.size", tuning.removed() ? "65536" : "" + (int) (1_000 * tuning.widened())),
                distance.bootstrapServers());
        plant.closing(distance::close);
        return plant;
    }

    private FaultProxy proxy(Duration delay) {
        try {
            FaultProxy proxy = FaultProxy.to(bed.cluster().bootstrapServers());
            proxy.delay(delay);
            return proxy;
        } catch (UncheckedIOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Plant producing(
            PlantKind kind,
            String shape,
            Truth truth,
            Function<Tuning, Map<String, String>> properties,
            String bootstrapServers) {
        Work work = new Work(Means.PARK, Duration.ofMillis(1));
        return new Plant(kind, shape + ", " + path, truth, Occupancy.low(work, 1), plant -> tuning -> {
            String output = bed.empty("copy");
            ProducerSettings.Builder<byte[], byte[]> settings =
                    ProducerSettings.builder().bootstrapServers(bootstrapServers);
            properties.apply(tuning).forEach(settings::property);
            return KafkaSource.from(bed.settings(path).build(), bed.even())
                    .atLeastOnce()
                    .map(record -> {
                        plant.done(record);
                        return new ProducerRecord<>(output, record.key(), record.value());
                    })
                    .to(KafkaSink.with(settings.build()).records());
        });
    }

    private Plant linger() {
        int window = shapes.between(20, 200);
        int linger = shapes.between(100, 400);
        // The lean path may exceed the window by one batch, which is larger than this plant's window.
        FetchPath client = FetchPath.CLIENT;
        Work work = new Work(Means.PARK, Duration.ofMillis(1));
        return new Plant(
                PlantKind.LINGER,
                "linger.ms " + linger + " and maxOutstandingRecords " + window,
                Truth.of(Kind.PRODUCER).or(Kind.WINDOW),
                Occupancy.low(work, 1),
                plant -> tuning -> {
                    int used = (int) (window * tuning.widened());
                    var output = ProducerSettings.builder()
                            .bootstrapServers(bed.cluster().bootstrapServers())
                            .property("linger.ms", tuning.removed() ? "0" : "" + linger)
                            .property("batch.size", "1000000")
                            .build();
                    String topic = bed.empty("lingering");
                    var settings = bed.settings(client)
                            .maxOutstandingRecords(used)
                            .property("max.poll.records", "" + used)
                            .build();
                    return KafkaSource.from(settings, bed.even())
                            .atLeastOnce()
                            .map(record -> {
                                plant.done(record);
                                return new ProducerRecord<>(topic, record.key(), record.value());
                            })
                            .to(KafkaSink.with(output).records());
                });
    }

    private Plant commit() {
        int records = shapes.between(1, 40);
        int millis = shapes.between(5, 20);
        FaultProxy distance = proxy(Duration.ofMillis(millis));
        Work work = new Work(Means.PARK, Duration.ofMillis(1));
        Plant planted = new Plant(
                PlantKind.COMMIT,
                "at most once, " + records + " records a commit, brokers " + millis + " ms away, " + path,
                Truth.of(Kind.COMMIT),
                Occupancy.low(work, 1),
                plant -> tuning -> {
                    int used = (int) (tuning.removed() ? 5_000 : records * tuning.widened());
                    var settings = bed.settings(path)
                            .bootstrapServers(distance.bootstrapServers())
                            .build();
                    return KafkaSource.from(settings, Subscription.topics(bed.even()))
                            .atMostOnce(used)
                            .to(Sink.forEach(plant::done));
                });
        planted.closing(distance::close);
        return planted;
    }

    private Plant partition() {
        int workers = shapes.between(4, 16);
        Work work = new Work(shapes.oneOf(List.of(Means.PARK, Means.SOCKET)), shapes.time(2, 15));
        return new Plant(
                PlantKind.PARTITION,
                shapes.subject + ": by partition, " + workers + " workers of " + work.time.toNanos() / 1000
                        + " us, nine of ten records in one, " + path,
                Truth.of(Kind.ONE_PARTITION, "hot-partition-1", shapes.subject).near(Kind.KEY_SKEW),
                Occupancy.low(work, workers),
                plant -> tuning -> {
                    var source = KafkaSource.from(bed.settings(path).build(), bed.hotPartition())
                            .atLeastOnce();
                    return (tuning.removed()
                                    ? source.mapBlocking(workers, RecordOrdering.byKey(), work::call)
                                    : source.mapBlocking(workers, RecordOrdering.byPartition(), work::call))
                            .named(shapes.subject)
                            .to(Sink.forEach(plant::done));
                });
    }

    /** Plants a handler in which every third call fails once and is retried after a back-off. */
    private Plant retries() {
        int workers = shapes.between(4, 16);
        Duration backoff = shapes.time(30, 100);
        Work work = new Work(Means.PARK, Duration.ofMillis(2));
        return new Plant(
                PlantKind.RETRIES,
                "handle of " + workers + " workers of 2 ms, every third record backs off for " + backoff.toMillis()
                        + " ms, " + path,
                Truth.of(Kind.STAGE_WAIT, "handle"),
                Occupancy.low(work, workers),
                plant -> tuning -> {
                    Set<String> failed = ConcurrentHashMap.newKeySet();
                    Pipeline pipeline = KafkaFlow.from(bed.settings(path).build(), bed.even())
                            .handle(tuning.workersOr(workers), Ordering.unordered(), record -> {
                                work.call(record);
                                if (!tuning.removed()
                                        && record.offset() % 3 == 0
                                        && failed.add(record.partition() + "@" + record.offset())) {
                                    throw new IOException("503");
                                }
                                return record;
                            })
                            .retry(RetryPolicy.of(3, Backoff.between(backoff, backoff)))
                            .results()
                            .to(Sink.forEach(plant::done));
                    return pipeline;
                });
    }
}
