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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks the dependencies between a module's packages, the maximum size of packages, and that no main code uses a test
 * harness. Each rule is also tested with a planted violation. Only internal packages are checked for cycles.
 */
class InternalPackagesTest {

    /** The maximum number of lines in an internal package. */
    private static final int MOST_INTERNAL_LINES = 5_200;

    /** The maximum number of lines in a public package. */
    private static final int MOST_PUBLIC_LINES = 8_100;

    /** The packages of weir-kafka below {@code internal}. Each uses only earlier packages in this list. */
    private static final List<String> KAFKA_ORDER = List.of(
            "settings",
            "meters",
            "in.lookup",
            "in.view",
            "in.offsets",
            "in.fetch",
            "in.buffer",
            "in.commit",
            "in.position",
            "in.owner",
            "out.client",
            "handler",
            "out.write",
            "share.group",
            "share.member",
            "out.transaction");

    private static final JavaClasses PLANTED = new ClassFileImporter().importPackages("planted");

    @ParameterizedTest
    @EnumSource(names = {"STREAM", "LEAN", "KAFKA", "CONSOLE", "TESTKIT"})
    void internalPackages_ofAModule_areFreeOfCircles(WeirModule module) {
        freeOfCircles("dev.weir." + module.packageName).check(module.mainClasses());
    }

    /** Programs have no facade, so all their packages are checked. */
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
    void packagesOfKafka_useOnlyThoseBeforeThem() {
        String root = "dev.weir.kafka.internal";
        JavaClasses classes = WeirModule.KAFKA.mainClasses();
        assertThat(classes.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> name.startsWith(root + "."))
                        .map(name -> name.substring(root.length() + 1)))
                .containsOnly(KAFKA_ORDER.toArray(String[]::new))
                .contains(KAFKA_ORDER.toArray(String[]::new));
        assertThat(backwards(classes, root, KAFKA_ORDER)).isEmpty();
    }

    @Test
    void packageThatUsesALaterOne_isFound() {
        String root = "planted.kafka.internal";
        assertThat(backwards(PLANTED, root, List.of("hither", "thither")))
                .isNotEmpty()
                .allMatch(line -> line.contains("Hither") && line.contains("-> thither"));
        assertThat(backwards(PLANTED, root, List.of("thither", "hither")))
                .isNotEmpty()
                .allMatch(line -> line.contains("Thither") && line.contains("-> hither"));
    }

    @Test
    void package_isSmallEnoughToBeRead() throws IOException {
        List<String> found = new ArrayList<>();
        for (WeirModule module : WeirModule.values()) {
            found.addAll(
                    tooLarge(Path.of(module.folder, "src", "main", "java"), MOST_INTERNAL_LINES, MOST_PUBLIC_LINES));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void packageThatIsTooLarge_isFound() throws IOException {
        Path tests = Path.of("checks", "arch", "src", "test", "java", "planted");
        assertThat(tooLarge(tests, 10, 30))
                .anyMatch(line -> line.matches(".*/planted/kafka/internal/hither: [0-9]+ lines, at most 10"))
                .anyMatch(line -> line.matches(".*/planted/kafka: [0-9]+ lines, at most 30"));
        assertThat(tooLarge(tests, 500, 500)).isEmpty();
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

    /** Assigns classes to {@code root} and the packages below it. */
    private record InternalPackages(String root) implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName() + ".";
            if (!name.startsWith(root + ".")) {
                return SliceIdentifier.ignore();
            }
            String below = name.substring(root.length() + 1);
            return SliceIdentifier.of(below.isEmpty() ? "internal" : below.substring(0, below.length() - 1));
        }

        @Override
        public String getDescription() {
            return "packages below " + root;
        }
    }

    /** Returns a line for each use of a package that is later in {@code order}: the class, an arrow and the package. */
    private static List<String> backwards(JavaClasses classes, String root, List<String> order) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            int from = order.indexOf(below(root, type));
            type.getDirectDependenciesFromSelf().stream()
                    .map(use -> below(root, use.getTargetClass().getBaseComponentType()))
                    .filter(to -> from >= 0 && order.indexOf(to) > from)
                    .forEach(to -> found.add(type.getName() + " -> " + to));
        }
        return List.copyOf(found);
    }

    private static String below(String root, JavaClass type) {
        String name = type.getPackageName();
        return name.startsWith(root + ".") ? name.substring(root.length() + 1) : "";
    }

    /** Returns a line for each package below a source folder with too many lines. */
    private static List<String> tooLarge(Path sources, int mostInternal, int mostPublic) throws IOException {
        Path folder = Path.of(System.getProperty("weir.root")).resolve(sources);
        Map<String, Integer> lines = new TreeMap<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    lines.merge(
                            file.getParent().toString(),
                            Files.readAllLines(file).size(),
                            Integer::sum);
                }
            }
        }
        List<String> found = new ArrayList<>();
        lines.forEach((name, inPackage) -> {
            int most = isInternal(name) ? mostInternal : mostPublic;
            if (inPackage > most) {
                found.add(name + ": " + inPackage + " lines, at most " + most);
            }
        });
        return found;
    }

    /** Returns whether a package is internal. All packages of a program are. */
    private static boolean isInternal(String folder) {
        return (folder + "/").matches(".*/(internal|weir/bench|weir/cli)/.*");
    }

    /**
     * Returns a rule against dependencies on test harnesses: probes, test libraries, test doubles and simulated
     * clusters.
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
