package dev.weir.bench.campaign;

import dev.weir.bench.result.Run;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Determines the order of a campaign's runs. The same seed gives the same order. Stateless. */
final class RunOrder {

    private RunOrder() {}

    /**
     * One run of a campaign: a driver is measured at a point.
     *
     * @param round number of the round, from 0
     */
    record Step(WorkloadPoint point, String driver, int round) {
        Run.Key key() {
            return new Run.Key(point.id(), driver, round);
        }
    }

    /**
     * Returns all steps. Each round shuffles the points and, within a point, the drivers. Points with the same brokers
     * are adjacent, so brokers start at most once per round.
     */
    static List<Step> of(List<WorkloadPoint> points, List<String> drivers, int rounds, long seed) {
        // Generators with neighbouring seeds give similar orders, so one generator serves all rounds.
        Random random = new Random(seed);
        List<Step> steps = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (WorkloadPoint point : byBrokers(shuffled(points, random))) {
                for (String driver : shuffled(drivers, random)) {
                    steps.add(new Step(point, driver, round));
                }
            }
        }
        return steps;
    }

    private static List<WorkloadPoint> byBrokers(List<WorkloadPoint> points) {
        return points.stream()
                .collect(Collectors.groupingBy(CampaignBrokers::key, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .flatMap(List::stream)
                .toList();
    }

    private static <T> List<T> shuffled(List<T> some, Random random) {
        List<T> all = new ArrayList<>(some);
        Collections.shuffle(all, random);
        return all;
    }
}
