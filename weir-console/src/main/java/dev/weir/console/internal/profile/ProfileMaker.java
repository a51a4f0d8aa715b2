package dev.weir.console.internal.profile;

import dev.weir.console.internal.profile.CallStack.Owner;
import dev.weir.console.profile.Profile;
import dev.weir.console.profile.StageProfile;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a profile from samples and their stages. Not thread-safe. */
final class ProfileMaker {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Map<StageRef, StageTotals> stages = new LinkedHashMap<>();
    private final Map<Owner, Long> cpuOfOthers = new EnumMap<>(Owner.class);
    private final Map<Sample.Kind, FlameTree> flames = new EnumMap<>(Sample.Kind.class);
    private long cpu;

    ProfileMaker() {
        for (Sample.Kind kind : Sample.Kind.values()) {
            flames.put(kind, new FlameTree("all"));
        }
    }

    /** Lists a stage that has worked in the profile, even without samples. */
    void worked(StageRef stage) {
        stages.computeIfAbsent(stage, first -> new StageTotals());
    }

    /** Counts a sample. {@code stage} is the stage of its thread, or null if unknown. */
    void add(Sample sample, @Nullable StageRef stage) {
        Owner owner = sample.stack().owner();
        if (owner == Owner.USER && stage == null) {
            owner = Owner.OTHER;
        }
        boolean waits = sample.kind() == Sample.Kind.WAIT;
        if (sample.kind() == Sample.Kind.CPU) {
            cpu += sample.amount();
        }
        FlameTree flame = flame(sample.kind());
        if (owner == Owner.USER && stage != null) {
            stages.computeIfAbsent(stage, first -> new StageTotals()).add(sample);
            flame.add(stage.stage(), sample.stack().userCode(), sample.amount());
        } else if (!waits) {
            // Count waits only in user code. Elsewhere a thread waits for input, which the console shows.
            flame.add(owner.name().toLowerCase(Locale.ROOT), sample.stack().frames(), sample.amount());
            if (sample.kind() == Sample.Kind.CPU) {
                cpuOfOthers.merge(owner, sample.amount(), Long::sum);
            }
        }
    }

    /** Builds the profile. {@code period} is the time between two CPU samples of a thread. */
    Profile make(Duration time, Duration period, String sampler, long lost) {
        boolean several =
                stages.keySet().stream().map(StageRef::pipeline).distinct().count() > 1;
        List<StageProfile> profiles = stages.entrySet().stream()
                .map(each -> each.getValue()
                        .profile(
                                several
                                        ? each.getKey().pipeline() + "/"
                                                + each.getKey().stage()
                                        : each.getKey().stage(),
                                cpu,
                                period.toNanos()))
                .sorted(Comparator.comparingDouble(StageProfile::cpuShare).reversed())
                .toList();
        return Profile.of(
                time,
                sampler,
                cpu,
                lost,
                shareOf(Owner.ENGINE),
                shareOf(Owner.CLIENT),
                shareOf(Owner.OTHER),
                profiles,
                flame(Sample.Kind.CPU).flame(1),
                flame(Sample.Kind.ALLOCATION).flame(1),
                flame(Sample.Kind.WAIT).flame(NANOS_PER_MILLI));
    }

    private FlameTree flame(Sample.Kind kind) {
        return Objects.requireNonNull(flames.get(kind));
    }

    private double shareOf(Owner owner) {
        return cpuOfOthers.getOrDefault(owner, 0L) / (double) Math.max(1, cpu);
    }
}
