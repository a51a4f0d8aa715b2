package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Plant.Occupancy;
import dev.weir.checks.integration.plants.Shapes.Form;
import dev.weir.checks.integration.plants.Work.Means;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Ordering;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Plants whose limiter is the arrival rate or the distribution of keys, in memory or on a broker. */
final class ArrivalPlants {

    private ArrivalPlants() {}

    static Plant draw(PlantKind kind, Random random, @Nullable Bed bed) {
        Shapes shapes = new Shapes(random);
        boolean fromBroker = bed != null && random.nextBoolean();
        FetchPath path = shapes.oneOf(List.of(FetchPath.values()));
        return switch (kind) {
            case HOT_KEY -> keys(shapes, true, fromBroker ? bed : null, path);
            case EVEN_KEYS -> keys(shapes, false, fromBroker ? bed : null, path);
            case IDLE -> idle(shapes, fromBroker ? bed : null, path);
            case KEEPS_UP, BACKLOG -> arrival(kind, shapes, fromBroker ? bed : null, path);
            default -> throw new IllegalArgumentException(kind + " is planted elsewhere");
        };
    }

    private static Plant keys(Shapes shapes, boolean hot, @Nullable Bed bed, FetchPath path) {
        int percent = shapes.between(2, 9) * 10 + shapes.between(0, 1) * 9;
        // The hot key must take at least twice as long as all records with all workers.
        int least = hot ? (int) Math.ceil(250.0 / percent) : 2;
        int workers = hot ? Math.max(4, least) + shapes.between(0, 12) : shapes.between(2, 16);
        Work work = new Work(
                shapes.oneOf(List.of(Means.PARK, Means.SOCKET)), hot ? shapes.time(2, 15) : shapes.time(8, 40));
        int keys = hot ? Bed.KEYS : Math.max(200, workers * 30);
        double capacity =
                hot ? StagePlants.perSecond(100.0 / percent, work.time) : StagePlants.perSecond(workers, work.time);
        return new Plant(
                hot ? PlantKind.HOT_KEY : PlantKind.EVEN_KEYS,
                shapes.subject + ": by key, " + workers + " workers, "
                        + (hot ? percent + " % of one key, " : "even keys, ")
                        + work.means + " " + work.time.toNanos() / 1000 + " us, "
                        + (bed == null ? "in memory, " + shapes.place() : path),
                Truth.of(hot ? Kind.KEY_SKEW : Kind.STAGE_WAIT, shapes.subject),
                hot
                        // On a broker, records of other partitions may keep the workers busy.
                        ? new Occupancy(work, workers, 0, Math.min(0.7, 250.0 / percent / workers))
                        : Occupancy.full(work, workers),
                plant -> tuning -> {
                    int used = tuning.workersOr(workers);
                    if (bed != null) {
                        String topic = hot ? bed.hotKey(percent) : bed.even();
                        var source = KafkaSource.from(bed.settings(path).build(), topic)
                                .atLeastOnce();
                        return (tuning.removed()
                                        ? source
                                        : source.mapBlocking(used, RecordOrdering.byKey(), work::call))
                                .named(shapes.subject)
                                .to(Sink.forEach(plant::done));
                    }
                    Ordering<Long> byKey =
                            Ordering.byKey(n -> hot && Bed.scrambled((int) (long) n) % 100 < percent ? -1L : n % keys);
                    return shapes.chain(
                                    StagePlants.numbers(),
                                    capacity,
                                    at -> tuning.removed()
                                            ? at
                                            : at.mapBlocking(used, byKey, work::<Long>call)
                                                    .named(shapes.subject))
                            .to(Sink.forEach(plant::done));
                });
    }

    private static Plant idle(Shapes shapes, @Nullable Bed bed, FetchPath path) {
        Work work = new Work(Means.PARK, shapes.time(1, 10));
        return new Plant(
                PlantKind.IDLE,
                bed == null ? "a queue that nobody fills, " + shapes.place() : "an empty topic, " + path,
                Truth.of(Kind.SOURCE_IDLE).near(Kind.ARRIVAL),
                Occupancy.low(work, 4),
                plant -> tuning -> {
                    if (bed != null) {
                        return KafkaSource.from(bed.settings(path).build(), bed.empty("idle"))
                                .atLeastOnce()
                                .mapBlocking(4, RecordOrdering.byKey(), work::call)
                                .to(Sink.forEach(plant::done));
                    }
                    Source<Long> source = tuning.removed() ? StagePlants.numbers() : Source.queue(Arrivals.queue());
                    return shapes.chain(source, 100, at -> shapes.stage(at, Form.BLOCKING, 4, work))
                            .to(Sink.forEach(plant::done));
                });
    }

    /** Plants a stage that handles either four times the arrival rate, or a quarter to half of it. */
    private static Plant arrival(PlantKind kind, Shapes shapes, @Nullable Bed bed, FetchPath path) {
        boolean keepsUp = kind == PlantKind.KEEPS_UP;
        int workers = shapes.between(1, 8);
        Work work = new Work(Means.PARK, shapes.time(4, 20));
        double capacity = StagePlants.perSecond(workers, work.time);
        double rate = keepsUp
                ? capacity / (4 + 8 * shapes.random.nextDouble())
                : capacity * (2 + 2 * shapes.random.nextDouble());
        return new Plant(
                kind,
                Math.round(rate) + "/s arrive for " + shapes.subject + " of " + Math.round(capacity) + "/s (" + workers
                        + " workers of " + work.time.toNanos() / 1000 + " us), " + (bed == null ? "queue" : path),
                keepsUp ? Truth.of(Kind.ARRIVAL).near(Kind.SOURCE_IDLE) : Truth.of(Kind.STAGE_WAIT, shapes.subject),
                keepsUp ? new Occupancy(work, workers, 0, 0.6) : Occupancy.full(work, workers),
                plant -> tuning -> {
                    double arriving = tuning.removed() && keepsUp ? 4 * capacity : rate;
                    int used = tuning.removed() && !keepsUp ? workers * 8 : tuning.workersOr(workers);
                    if (bed != null) {
                        String topic = bed.empty(keepsUp ? "steady" : "backlog");
                        KafkaProducer<byte[], byte[]> producer = bed.producer();
                        plant.closing(producer::close);
                        Arrivals arrivals = new Arrivals(arriving, n -> {
                            var unused = producer.send(new ProducerRecord<>(topic, Bed.bytes("" + n), new byte[100]));
                        });
                        plant.closing(arrivals::close);
                        return KafkaSource.from(bed.settings(path).build(), topic)
                                .atLeastOnce()
                                .mapBlocking(used, Ordering.unordered(), work::call)
                                .named(shapes.subject)
                                .to(Sink.forEach(plant::done));
                    }
                    SourceQueue<Long> queue = Arrivals.queue();
                    Arrivals arrivals = new Arrivals(arriving, queue::offer);
                    plant.closing(arrivals::close);
                    return shapes.stage(Source.queue(queue), Form.BLOCKING, used, work)
                            .to(Sink.forEach(plant::done));
                });
    }
}
