package dev.weir.bench.campaign;

import dev.weir.bench.result.Run;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Order of a campaign's runs, the same for the same seed. Stateless. */
final class RunOrder {

    private RunOrder() {}

    /**
     * A run to do.
     *
     * @param round from 0
     */
    record Step(WorkloadPoint point, String driver, int round) {
        Run.Key key() {
            return new Run.Key(point.id(), driver, round);
        }
    }

    /**
     * All of them: points and, within a point, drivers are drawn anew in each round. Points with the same brokers
     * follow each other, so that these are started once a round.
     */
    static List<Step> of(List<WorkloadPoint> points, List<String> drivers, int rounds, long seed) {
        // One for all rounds: the first numbers of neighbouring seeds are nearly the same, and so would be the last
        // places.
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
