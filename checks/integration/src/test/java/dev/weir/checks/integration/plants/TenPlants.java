package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Plant.Occupancy;
import dev.weir.checks.integration.plants.Work.Means;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The bottlenecks of {@code docs/internals/planted-ten.md} that no {@link PlantKind} covers: a lock after a wider
 * stage, a parser before fast workers, two stages on one dispatcher, a large customer, and a burst that has ended.
 */
final class TenPlants {

    private static final int SHAPES = 5;

    private final Bed bed;

    private TenPlants(Bed bed) {
        this.bed = bed;
    }

    static Plant draw(long seed, Bed bed) {
        TenPlants plants = new TenPlants(bed);
        return switch ((int) Math.floorMod(seed, (long) SHAPES)) {
            case 0 -> plants.orders();
            case 1 -> plants.events();
            case 2 -> plants.shipping();
            case 3 -> plants.billing();
            default -> plants.night();
        };
    }

    private static Work wait(int millis) {
        return new Work(Means.PARK, Duration.ofMillis(millis));
    }

    private Plant plant(
            String shape,
            Truth truth,
            Occupancy occupancy,
            String topic,
            Function<Source<ConsumerRecord<byte[], byte[]>>, Source<ConsumerRecord<byte[], byte[]>>> stages) {
        return plant(shape, truth, occupancy, topic, (source, tuning) -> stages.apply(source));
    }

    private Plant plant(
            String shape,
            Truth truth,
            Occupancy occupancy,
            String topic,
            BiFunction<Source<ConsumerRecord<byte[], byte[]>>, Tuning, Source<ConsumerRecord<byte[], byte[]>>> stages) {
        return new Plant(PlantKind.TEN, shape, truth, occupancy, plant -> tuning -> {
            var source = KafkaSource.from(bed.settings(FetchPath.CLIENT).build(), topic)
                    .atLeastOnce();
            return (tuning.removed() ? source : stages.apply(source, tuning)).to(Sink.forEach(plant::done));
        });
    }

    private Plant orders() {
        Work fraud = wait(20);
        Work ledger = new Work(Means.LOCK, Duration.ofMillis(2));
        return plant(
                "orders",
                Truth.of(Kind.STAGE_WAIT, "ledger"),
                Occupancy.full(ledger, 16),
                bed.even(),
                source -> source.mapBlocking(32, Ordering.unordered(), fraud::<ConsumerRecord<byte[], byte[]>>call)
                        .named("fraud")
                        .mapBlocking(16, Ordering.unordered(), ledger::<ConsumerRecord<byte[], byte[]>>call)
                        .named("ledger"));
    }

    private Plant events() {
        Work parse = new Work(Means.COMPUTE, Duration.ofNanos(300_000));
        Work send = wait(1);
        return plant(
                "events",
                StagePlants.truth(parse, 1, "parse"),
                Occupancy.full(parse, 1),
                bed.even(),
                (source, tuning) -> (tuning.workers() == 0
                                ? source.map(parse::<ConsumerRecord<byte[], byte[]>>call)
                                : source.mapParallel(tuning.workers(), parse::<ConsumerRecord<byte[], byte[]>>call))
                        .named("parse")
                        .mapBlocking(32, Ordering.unordered(), send::<ConsumerRecord<byte[], byte[]>>call)
                        .named("send"));
    }

    private Plant shipping() {
        Dispatcher legacy = Dispatcher.fixed("legacy", 3);
        Attributes there = Attributes.NONE.withDispatcher(legacy);
        Work work = wait(4);
        Plant plant = plant(
                "shipping",
                Truth.of(Kind.DISPATCHER, "legacy"),
                Occupancy.full(work, 3),
                bed.even(),
                source -> source.mapBlocking(16, Ordering.unordered(), work::<ConsumerRecord<byte[], byte[]>>call)
                        .with(there.withName("stock"))
                        .mapBlocking(16, Ordering.unordered(), work::<ConsumerRecord<byte[], byte[]>>call)
                        .with(there.withName("label")));
        plant.closing(legacy::close);
        return plant;
    }

    private Plant billing() {
        Work charge = wait(3);
        return plant(
                "billing",
                Truth.of(Kind.KEY_SKEW, "charge"),
                Occupancy.low(charge, 16),
                bed.hotKey(90),
                source -> source.mapBlocking(16, RecordOrdering.byKey(), charge::<ConsumerRecord<byte[], byte[]>>call)
                        .named("charge"));
    }

    private Plant night() {
        Work book = wait(1);
        return new Plant(
                PlantKind.TEN,
                "night",
                Truth.of(Kind.ARRIVAL).near(Kind.SOURCE_IDLE),
                Occupancy.low(book, 8),
                plant -> {
                    String topic = bed.empty("night");
                    return tuning -> night(plant, topic, tuning.removed() ? 2_000 : 20, book);
                });
    }

    private Pipeline night(Plant plant, String topic, double perSecond, Work book) {
        KafkaProducer<byte[], byte[]> producer = bed.producer();
        plant.closing(producer::close);
        for (int n = 0; n < 1_000; n++) {
            var unused = producer.send(new ProducerRecord<>(topic, Bed.bytes("" + n), new byte[100]));
        }
        Arrivals arrivals = new Arrivals(perSecond, n -> {
            var unused = producer.send(new ProducerRecord<>(topic, Bed.bytes("" + n), new byte[100]));
        });
        plant.closing(arrivals::close);
        return KafkaSource.from(bed.settings(FetchPath.CLIENT).build(), topic)
                .atLeastOnce()
                .mapBlocking(8, RecordOrdering.byKey(), book::<ConsumerRecord<byte[], byte[]>>call)
                .named("book")
                .to(Sink.forEach(plant::done));
    }
}
