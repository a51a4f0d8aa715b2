package dev.weir.checks.arch;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How the packages within a module may depend on each other, how many files one may have, and that no main code leans
 * on a test harness. Each rule is also shown a planted violation. A facade and its internals know each other by design,
 * so that only internal packages are looked at for circles.
 */
class InternalPackagesTest {

    /** A package of more files is not read any more, it is searched. */
    private static final int MOST_INTERNAL = 25;

    /** What a user types is found by its name, not by reading the list. */
    private static final int MOST_PUBLIC = 50;

    private static final JavaClasses PLANTED = new ClassFileImporter().importPackages("planted");

    @ParameterizedTest
    @EnumSource(names = {"STREAM", "LEAN", "KAFKA", "CONSOLE", "TESTKIT"})
    void internalPackages_ofAModule_areFreeOfCircles(WeirModule module) {
        freeOfCircles("dev.weir." + module.packageName).check(module.mainClasses());
    }

    /** These have no facade: all of their packages are internal. */
    @ParameterizedTest
    @EnumSource(names = {"BENCH", "CLI"})
    void packages_ofAProgram_areFreeOfCircles(WeirModule module) {
        slices().assignedFrom(new InternalPackages("dev.weir." + module.packageName))
                .should()
                .beFreeOfCycles()
                .check(module.mainClasses());
    }

    @Test
    void circle_isFound() {
        assertThat(freeOfCircles("planted.kafka")
                        .evaluate(PLANTED)
                        .getFailureReport()
                        .getDetails())
                .hasSize(1)
                .allMatch(circle -> circle.contains("Slice hither") && circle.contains("Slice thither"));
        assertThat(freeOfCircles("planted.stream").evaluate(PLANTED).hasViolation())
                .isFalse();
    }

    @Test
    void package_isSmallEnoughToBeRead() {
        assertThat(tooLarge(WeirModule.allMainClasses(), MOST_INTERNAL, MOST_PUBLIC))
                .isEmpty();
    }

    @Test
    void packageThatIsTooLarge_isFound() {
        assertThat(tooLarge(PLANTED, 1, 2))
                .containsExactly(
                        "planted.cli: 2 files, at most 1",
                        "planted.kafka: 3 files, at most 2",
                        "planted.kafka.internal.hither: 2 files, at most 1",
                        "planted.testkit: 3 files, at most 2");
        assertThat(tooLarge(PLANTED, 2, 3)).isEmpty();
    }

    @Test
    void mainCode_leansOnNoTestHarness() {
        leansOnNoTestHarness("dev.weir").check(WeirModule.allMainClasses());
    }

    @Test
    void mainCodeThatLeansOnATestHarness_isFound() {
        assertThat(leansOnNoTestHarness("planted")
                        .evaluate(PLANTED)
                        .getFailureReport()
                        .getDetails())
                .isNotEmpty()
                .allMatch(line -> line.contains("planted.cli.LeansOnTests."))
                .anyMatch(line -> line.contains("planted.stream.testing.Probe"))
                .anyMatch(line -> line.contains("planted.testkit.SimulatedWorld"))
                .anyMatch(line -> line.contains("MockConsumer"));
    }

    private static ArchRule freeOfCircles(String module) {
        return slices().assignedFrom(new InternalPackages(module + ".internal"))
                .should()
                .beFreeOfCycles()
                .as("the internal packages of " + module + " know each other one way only");
    }

    /** The packages directly below {@code root}, each with all below it, and {@code root} itself. */
    private record InternalPackages(String root) implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName() + ".";
            if (!name.startsWith(root + ".")) {
                return SliceIdentifier.ignore();
            }
            String below = name.substring(root.length() + 1);
            return SliceIdentifier.of(below.isEmpty() ? "internal" : below.substring(0, below.indexOf('.')));
        }

        @Override
        public String getDescription() {
            return "packages below " + root;
        }
    }

    /** The packages with more source files than they may have, a line each. */
    private static List<String> tooLarge(JavaClasses classes, int mostInternal, int mostPublic) {
        Map<String, Set<String>> files = new TreeMap<>();
        for (JavaClass type : classes) {
            type.getSource()
                    .flatMap(source -> source.getFileName())
                    .ifPresent(file -> files.computeIfAbsent(type.getPackageName(), first -> new TreeSet<>())
                            .add(file));
        }
        List<String> found = new ArrayList<>();
        files.forEach((name, inPackage) -> {
            int most = isInternal(name) ? mostInternal : mostPublic;
            if (inPackage.size() > most) {
                found.add(name + ": " + inPackage.size() + " files, at most " + most);
            }
        });
        return found;
    }

    /** A program has no facade: all of its packages are. */
    private static boolean isInternal(String packageName) {
        return (packageName + ".").matches("[^.]+\\.(?:weir\\.)?(?:.*\\.internal|bench|cli)\\..*");
    }

    /**
     * A harness is what drives code in tests: probes, test libraries, doubles of the Kafka clients, simulated worlds.
     * The rest of the testkit runs brokers, which the benchmark and the command need.
     */
    private static ArchRule leansOnNoTestHarness(String root) {
        return noClasses()
                .that(resideInAPackage(root + "..")
                        .and(resideOutsideOfPackages(
                                root + ".testkit..", root + ".simulation..", root + "..testing..")))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                root + "..testing..",
                                "org.junit..",
                                "org.assertj..",
                                "org.awaitility..",
                                "org.mockito..",
                                "org.openjdk.jcstress..")
                        .or(resideInAPackage("org.apache.kafka..").and(simpleNameStartingWith("Mock")))
                        .or(resideInAPackage(root + ".testkit..").and(simpleNameStartingWith("Simulated")))
                        .or(resideInAPackage(root + ".testkit.internal.simulation..")))
                .as("main code leans on no test harness");
    }
}
