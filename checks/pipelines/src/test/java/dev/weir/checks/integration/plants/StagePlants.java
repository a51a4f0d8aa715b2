package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Plant.Occupancy;
import dev.weir.checks.integration.plants.Shapes.Form;
import dev.weir.checks.integration.plants.Work.Means;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Plants whose limiter is within the pipeline, under a source in memory. */
final class StagePlants {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private StagePlants() {}

    static Source<Long> numbers() {
        return Source.range(0L, Long.MAX_VALUE);
    }

    static double perSecond(double threads, Duration time) {
        return threads * 1e9 / time.toNanos();
    }

    static Plant draw(PlantKind kind, Random random) {
        Shapes shapes = new Shapes(random);
        return switch (kind) {
            case CPU -> cpu(shapes);
            case WAIT -> stageThatWaits(shapes);
            case BLOCKING_MAP ->
                simple(
                        kind,
                        shapes,
                        shapes.oneOf(List.of(Form.MAP, Form.OWN_THREAD)),
                        1,
                        new Work(shapes.oneOf(List.of(Means.PARK, Means.SOCKET)), shapes.time(1, 200)));
            case LOCK -> lock(shapes);
            case BRANCH -> branch(shapes);
            case GROUP -> group(shapes);
            case THROTTLE, THROTTLE_PER_KEY -> throttle(kind, shapes);
            case DISPATCHER -> dispatcher(shapes);
            case SINK -> sink(shapes);
            case TWO -> two(shapes);
            default -> throw new IllegalArgumentException(kind + " is planted elsewhere");
        };
    }

    /** Returns the right answers for such work on the given number of threads. */
    static Truth truth(Work work, double threads, String... names) {
        if (work.means != Means.COMPUTE) {
            return Truth.of(Kind.STAGE_WAIT, names);
        }
        Truth truth = Truth.of(Kind.STAGE_CPU, names);
        return threads >= PROCESSORS ? truth.or(Kind.MACHINE_CPU) : truth;
    }

    private static Plant simple(PlantKind kind, Shapes shapes, Form form, int workers, Work work) {
        String shape = shapes.subject + ": " + form + " of " + workers + ", " + work.means + " "
                + work.time.toNanos() / 1000 + " us, " + shapes.place();
        // mapParallel uses the dispatcher for computing, which has few threads.
        int threads = form == Form.PARALLEL ? Math.min(workers, PROCESSORS) : workers;
        Truth truth = truth(work, workers, shapes.subject);
        return new Plant(
                kind,
                shape,
                threads < workers ? truth.or(Kind.DISPATCHER) : truth,
                Occupancy.full(work, threads),
                plant -> tuning -> shapes.chain(numbers(), perSecond(threads, work.time), at -> {
                            if (tuning.removed()) {
                                return at;
                            }
                            return shapes.stage(at, Shapes.wider(form, work, tuning), tuning.workersOr(workers), work);
                        })
                        .to(Sink.forEach(plant::done)));
    }

    private static Plant cpu(Shapes shapes) {
        Form form = shapes.oneOf(List.of(Form.MAP, Form.OWN_THREAD, Form.PARALLEL, Form.BLOCKING));
        int workers = form.hasWorkers() ? shapes.between(1, PROCESSORS) : 1;
        return simple(PlantKind.CPU, shapes, form, workers, new Work(Means.COMPUTE, shapes.time(0.1, 3)));
    }

    private static Plant stageThatWaits(Shapes shapes) {
        Form form = shapes.oneOf(List.of(Form.PARALLEL, Form.BLOCKING, Form.BLOCKING_IN_ORDER, Form.ASYNC));
        Means means = form == Form.ASYNC ? Means.PARK : shapes.oneOf(List.of(Means.PARK, Means.SOCKET));
        int workers = shapes.between(1, form == Form.PARALLEL ? 8 : 32);
        return simple(PlantKind.WAIT, shapes, form, workers, new Work(means, shapes.time(4, 50)));
    }

    private static Plant lock(Shapes shapes) {
        int workers = shapes.between(3, 24);
        Work work = new Work(Means.LOCK, shapes.time(1, 10));
        return simple(PlantKind.LOCK, shapes, Form.BLOCKING, workers, work);
    }

    private static Work drawn(Shapes shapes) {
        return shapes.random.nextInt(3) == 0
                ? new Work(Means.COMPUTE, shapes.time(0.2, 2))
                : new Work(shapes.oneOf(List.of(Means.PARK, Means.SOCKET)), shapes.time(2, 30));
    }

    private static Plant branch(Shapes shapes) {
        Work work = drawn(shapes);
        int branches = shapes.between(2, 4);
        int slow = shapes.between(0, branches - 1);
        Form form = work.means == Means.COMPUTE ? Form.MAP : shapes.oneOf(List.of(Form.MAP, Form.BLOCKING));
        int workers = form.hasWorkers() ? shapes.between(2, 8) : 1;
        String shape = shapes.subject + ": branch " + slow + " of " + branches + ", " + form + " of " + workers + ", "
                + work.means + " " + work.time.toNanos() / 1000 + " us";
        return new Plant(
                PlantKind.BRANCH,
                shape,
                truth(work, workers, shapes.subject),
                Occupancy.full(work, workers),
                plant -> tuning -> {
                    List<Sink<Long>> sinks = new ArrayList<>();
                    for (int i = 0; i < branches; i++) {
                        boolean isSlow = i == slow && !tuning.removed();
                        Form used = Shapes.wider(form, work, tuning);
                        Sink<Long> end = i == 0 ? Sink.forEach(plant::done) : Sink.ignore();
                        sinks.add(Sink.through(at -> (isSlow
                                        ? shapes.stage(at, used, tuning.workersOr(workers), work)
                                        : at.map(n -> n).named("check"))
                                .to(end)));
                    }
                    return broadcast(numbers(), sinks);
                });
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Pipeline broadcast(Source<Long> source, List<Sink<Long>> sinks) {
        return source.broadcastTo(sinks.toArray(new Sink[0]));
    }

    private static Plant group(Shapes shapes) {
        Work work = drawn(shapes);
        int groups = shapes.between(2, 12);
        Form form = work.means == Means.COMPUTE ? Form.MAP : shapes.oneOf(List.of(Form.MAP, Form.BLOCKING));
        String shape = shapes.subject + ": within " + groups + " groups, " + form + ", " + work.means + " "
                + work.time.toNanos() / 1000 + " us";
        return new Plant(
                PlantKind.GROUP,
                shape,
                truth(work, groups, shapes.subject).around("groupBy"),
                new Occupancy(work, 1, 0.6, Double.MAX_VALUE),
                plant -> tuning -> numbers()
                        .groupBy(
                                n -> n % groups,
                                groups,
                                at -> tuning.removed()
                                        ? at
                                        : shapes.stage(at, Shapes.wider(form, work, tuning), tuning.workersOr(1), work))
                        .to(Sink.forEach(plant::done)));
    }

    private static Plant throttle(PlantKind kind, Shapes shapes) {
        boolean perKey = kind == PlantKind.THROTTLE_PER_KEY;
        int keys = shapes.between(5, 50);
        int rate = perKey ? shapes.between(5, 100) : shapes.between(20, 2000);
        boolean named = shapes.random.nextBoolean();
        String name = named ? shapes.subject : perKey ? "throttlePerKey" : "throttle";
        Work beside = new Work(Means.PARK, Duration.ofMillis(1));
        return new Plant(
                kind,
                name + ": " + rate + "/s" + (perKey ? " for each of " + keys + " keys, " : ", ") + shapes.place(),
                Truth.of(Kind.STAGE_WAIT, name),
                Occupancy.low(beside, 1),
                plant -> tuning -> {
                    long perSecond = (long) (rate * tuning.widened());
                    return shapes.chain(numbers(), perKey ? (double) rate * keys : rate, at -> {
                                if (tuning.removed()) {
                                    return at;
                                }
                                Source<Long> limited = perKey
                                        ? at.throttlePerKey(perSecond, Duration.ofSeconds(1), 1, n -> n % keys)
                                        : at.throttle(perSecond, Duration.ofSeconds(1));
                                return named ? limited.named(name) : limited;
                            })
                            .to(Sink.forEach(plant::done));
                });
    }

    private static Plant dispatcher(Shapes shapes) {
        int size = shapes.between(1, 4);
        int workers = size * shapes.between(3, 8);
        Work work = new Work(shapes.oneOf(List.of(Means.PARK, Means.SOCKET)), shapes.time(4, 30));
        Dispatcher legacy = Dispatcher.fixed("legacy", size);
        Plant planted = new Plant(
                PlantKind.DISPATCHER,
                shapes.subject + ": " + workers + " workers on legacy of " + size + ", " + work.means + " "
                        + work.time.toNanos() / 1000 + " us, " + shapes.place(),
                Truth.of(Kind.DISPATCHER, "legacy"),
                Occupancy.full(work, size),
                plant -> tuning -> shapes.chain(numbers(), perSecond(size, work.time), at -> {
                            Source<Long> stage = at.mapBlocking(workers, Ordering.unordered(), work::<Long>call);
                            Attributes named = Attributes.named(shapes.subject);
                            return stage.with(tuning.removed() ? named : named.withDispatcher(legacy));
                        })
                        .to(Sink.forEach(plant::done)));
        planted.closing(legacy::close);
        return planted;
    }

    private static Plant sink(Shapes shapes) {
        Work work = drawn(shapes);
        boolean wide = work.means != Means.COMPUTE && shapes.random.nextInt(3) == 0;
        int workers = wide ? shapes.between(2, 8) : 1;
        String[] names = wide ? new String[] {"forEachBlocking", "forEach"} : new String[] {shapes.subject};
        return new Plant(
                PlantKind.SINK,
                names[0] + ": of " + workers + ", " + work.means + " " + work.time.toNanos() / 1000 + " us, "
                        + shapes.place(),
                truth(work, workers, names),
                Occupancy.full(work, workers),
                plant -> tuning -> {
                    Source<Long> at = shapes.chain(numbers(), perSecond(workers, work.time), before -> before);
                    if (tuning.removed()) {
                        return at.to(Sink.forEach(plant::done));
                    }
                    return wide || tuning.workers() > 0
                            ? at.to(Sink.forEachBlocking(tuning.workersOr(workers), n -> plant.done(work.call(n))))
                            : at.to(Sink.<Long>forEach(n -> plant.done(work.call(n)))
                                    .named(shapes.subject));
                });
    }

    private static Plant two(Shapes shapes) {
        int workers = shapes.between(2, 12);
        Work work = new Work(Means.PARK, shapes.time(4, 30));
        Work other = work.lighter(0.96 + 0.08 * shapes.random.nextDouble());
        String second = shapes.subject + " again";
        return new Plant(
                PlantKind.TWO,
                shapes.subject + ": twice " + workers + " of PARK " + work.time.toNanos() / 1000 + " us",
                Truth.ofTwo(Kind.STAGE_WAIT, shapes.subject, second),
                new Occupancy(work, workers, 0.7, 1.1),
                plant -> tuning -> {
                    if (tuning.removed()) {
                        return numbers().to(Sink.forEach(plant::done));
                    }
                    Source<Long> first = shapes.stage(numbers(), Form.BLOCKING, workers, work);
                    return first.mapBlocking(workers, Ordering.unordered(), other::<Long>call)
                            .named(second)
                            .to(Sink.forEach(plant::done));
                });
    }
}
