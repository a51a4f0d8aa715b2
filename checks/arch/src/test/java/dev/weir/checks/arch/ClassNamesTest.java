package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the names of the library's classes: each name denotes one thing, and has two words unless one word defines it.
 */
class ClassNamesTest {

    private static final Pattern ONE_WORD = Pattern.compile("[A-Z][a-z0-9]*");

    /** The maximum share of internal classes with a one-word name. */
    private static final double MOST_OF_ONE_WORD = 0.15;

    private static Stream<JavaClass> topLevel() {
        return Stream.of(WeirModule.STREAM, WeirModule.LEAN, WeirModule.KAFKA)
                .flatMap(module -> module.mainClasses().stream())
                .filter(each -> each.isTopLevelClass()
                        && !each.getSimpleName().endsWith("-info")
                        && !each.getSimpleName().endsWith("package-info"));
    }

    @Test
    void names_ofTheLibrary_areOfOneThingEach() {
        Map<String, List<String>> twice = topLevel()
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        twice.values().removeIf(each -> each.size() == 1);
        assertThat(twice).isEmpty();
    }

    @Test
    void names_ofInternalClasses_areOneWordSeldom() {
        List<String> internal = topLevel()
                .map(JavaClass::getName)
                .filter(name -> name.contains(".internal."))
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .toList();
        List<String> ofOneWord = internal.stream()
                .filter(name -> ONE_WORD.matcher(name).matches())
                .toList();
        assertThat(internal).hasSizeGreaterThan(100);
        assertThat((double) ofOneWord.size() / internal.size())
                .as("of one word: %s", ofOneWord)
                .isLessThanOrEqualTo(MOST_OF_ONE_WORD);
    }
}
