package dev.weir.spring.testing;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Excludes scanned components from the test's application context. Used only by Spring's test framework. */
final class WeirTestFilter extends StandardAnnotationCustomizableTypeExcludeFilter<WeirTest> {

    WeirTestFilter(Class<?> testClass) {
        super(testClass);
    }
}
