package dev.weir.console.internal.profile;

import dev.weir.console.profile.StageProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The counts of one stage. Not thread-safe. */
final class StageTotals {

    private static final int MOST = 10;

    private final Map<String, long[]> methods = new LinkedHashMap<>();
    private final Map<String, Long> allocated = new HashMap<>();
    private final Map<WaitAt, Long> waits = new HashMap<>();
    private long cpu;

    private record WaitAt(String kind, String at) {}

    void add(Sample sample) {
        List<Frame> own = sample.stack().userMethods();
        switch (sample.kind()) {
            case CPU -> addCpu(own, sample.amount());
            case ALLOCATION -> allocated.merge(sample.subject(), sample.amount(), Long::sum);
            case WAIT ->
                waits.merge(
                        new WaitAt(
                                sample.subject(),
                                own.isEmpty() ? "" : own.getFirst().name()),
                        sample.amount(),
                        Long::sum);
        }
    }

    private void addCpu(List<Frame> own, long amount) {
        cpu += amount;
        Set<String> counted = new HashSet<>();
        for (int i = 0; i < own.size(); i++) {
            long[] selfAndTotal = methods.computeIfAbsent(own.get(i).name(), name -> new long[2]);
            selfAndTotal[0] += i == 0 ? amount : 0;
            // A method that calls itself counts once.
            selfAndTotal[1] += counted.add(own.get(i).name()) ? amount : 0;
        }
    }

    long cpu() {
        return cpu;
    }

    StageProfile profile(String name, long allCpu) {
        double mine = Math.max(1, cpu);
        return StageProfile.of(
                name,
                (double) cpu / Math.max(1, allCpu),
                methods.entrySet().stream()
                        .map(method -> new StageProfile.Method(
                                method.getKey(), method.getValue()[0] / mine, method.getValue()[1] / mine))
                        .sorted(Comparator.comparingDouble(StageProfile.Method::selfShare)
                                .thenComparingDouble(StageProfile.Method::totalShare)
                                .reversed())
                        .limit(MOST)
                        .toList(),
                allocated.values().stream().mapToLong(Long::longValue).sum(),
                allocated.entrySet().stream()
                        .map(each -> new StageProfile.Allocation(each.getKey(), each.getValue()))
                        .sorted(Comparator.comparingLong(StageProfile.Allocation::bytes)
                                .reversed())
                        .limit(MOST)
                        .toList(),
                waits.entrySet().stream()
                        .map(each -> new StageProfile.Wait(
                                each.getKey().kind(), each.getKey().at(), each.getValue() / 1_000_000))
                        .filter(wait -> wait.millis() > 0)
                        .sorted(Comparator.comparingLong(StageProfile.Wait::millis)
                                .reversed())
                        .limit(MOST)
                        .toList());
    }
}
