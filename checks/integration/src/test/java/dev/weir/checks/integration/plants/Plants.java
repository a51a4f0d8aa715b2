package dev.weir.checks.integration.plants;

import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Draws random pipelines with a planted limiter. The same seed gives the same pipeline, apart from the names of groups
 * and output topics.
 */
final class Plants {

    private static final List<PlantKind> IN_PIPELINE = List.of(
            PlantKind.CPU,
            PlantKind.WAIT,
            PlantKind.BLOCKING_MAP,
            PlantKind.LOCK,
            PlantKind.BRANCH,
            PlantKind.GROUP,
            PlantKind.THROTTLE,
            PlantKind.THROTTLE_PER_KEY,
            PlantKind.DISPATCHER,
            PlantKind.SINK,
            PlantKind.TWO);

    private Plants() {}

    /** Returns random numbers for a seed and a purpose. Consecutive seeds give unrelated numbers. */
    static Random random(long seed, int purpose) {
        return new Random(new SplittableRandom(seed * 1_000 + purpose).nextLong());
    }

    static Plant draw(PlantKind kind, long seed, @Nullable Bed bed) {
        Random random = random(seed, List.of(PlantKind.values()).indexOf(kind) + 1);
        if (IN_PIPELINE.contains(kind)) {
            return StagePlants.draw(kind, random);
        }
        if (!kind.needsBroker()) {
            return ArrivalPlants.draw(kind, random, bed);
        }
        if (bed == null) {
            throw new IllegalArgumentException(kind + " needs a broker");
        }
        return kind == PlantKind.TEN ? TenPlants.draw(random.nextInt(), bed) : BrokerPlants.draw(kind, random, bed);
    }
}
